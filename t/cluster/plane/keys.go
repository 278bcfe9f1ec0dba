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

// writeCA makes a certificate authority. Nobody has a certificate of it: the API server publishes
// those for clients and for aggregated API servers where the scheduler looks for them to serve its
// own endpoints.
func writeCA(file, name string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make the key of %s: %w", name, err)
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(365 * 24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("make the certificate of %s: %w", name, err)
	}
	return writePEM(file, "CERTIFICATE", der)
}
