// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"time"
)

func writePEM(file, kind string, der []byte) error {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("write a %s: %w", kind, err)
	}
	return nil
}

// writeServiceAccountKey makes the key that signs and proves the tokens of service accounts.
func writeServiceAccountKey(file string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("make the key of the service accounts: %w", err)
	}
	return writePEM(file, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
}

// authority is a certificate authority with its key, in memory only: the API server publishes those
// for clients and for aggregated API servers where the scheduler looks for them to serve its own
// endpoints.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// writeCA makes a certificate authority and writes its certificate.
func writeCA(file, name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of %s: %w", name, err)
	}
	ca := template(name)
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of %s: %w", name, err)
	}
	return &authority{ca, key}, writePEM(file, "CERTIFICATE", der)
}

// writeClient makes a certificate for a client of this name: FILE.crt and FILE.key.
func (a *authority) writeClient(file, name string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make the key of %s: %w", name, err)
	}
	client := template(name)
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	der, err := x509.CreateCertificate(rand.Reader, client, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return fmt.Errorf("make the certificate of %s: %w", name, err)
	}
	if err := writePEM(file+".crt", "CERTIFICATE", der); err != nil {
		return err
	}
	text, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fmt.Errorf("write the key of %s: %w", name, err)
	}
	return writePEM(file+".key", "EC PRIVATE KEY", text)
}

func template(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(365 * 24 * time.Hour),
	}
}
