// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"slices"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Keys of the Secret.
const (
	caCertKey = "ca.crt"
	caKeyKey  = "ca.key"
)

// Clocks of machines differ: a certificate is valid from a little before it was made.
const skew = time.Hour

// authority is what the Secret holds.
type authority struct {
	cas    []*x509.Certificate // trusted; the newest, which signs, first
	key    crypto.Signer       // of the newest
	served tls.Certificate     // Leaf is set
}

// parseAuthority reads a Secret's data. Whatever is not whole is an error: it is then made anew.
func parseAuthority(data map[string][]byte) (*authority, error) {
	cas, err := certutil.ParseCertsPEM(data[caCertKey])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", caCertKey, err)
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(data[caKeyKey])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", caKeyKey, err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: a %T, want an ECDSA key", caKeyKey, parsed)
	}
	if !key.PublicKey.Equal(cas[0].PublicKey) {
		return nil, fmt.Errorf("%s is not the key of the first of %s", caKeyKey, caCertKey)
	}
	served, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
	if err != nil {
		return nil, fmt.Errorf("tls.crt and tls.key: %w", err)
	}
	return &authority{cas: cas, key: key, served: served}, nil
}

func (a *authority) data() (map[string][]byte, error) {
	cas, err := certutil.EncodeCertificates(a.cas...)
	if err != nil {
		return nil, err
	}
	key, err := keyutil.MarshalPrivateKeyToPEM(a.key)
	if err != nil {
		return nil, err
	}
	cert, err := certutil.EncodeCertificates(a.served.Leaf)
	if err != nil {
		return nil, err
	}
	certKey, err := keyutil.MarshalPrivateKeyToPEM(a.served.PrivateKey)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		caCertKey: cas, caKeyKey: key, "tls.crt": cert, "tls.key": certKey,
	}, nil
}

// bundle is what the API server must trust.
func (a *authority) bundle() ([]byte, error) { return certutil.EncodeCertificates(a.cas...) }

func newAuthority(now time.Time, names []string, caLife, certLife time.Duration) (
	*authority, error) {
	a := &authority{}
	if err := a.addCA(now, caLife); err != nil {
		return nil, err
	}
	return a, a.sign(now, names, certLife)
}

// renewed returns what the authority should be now, and the same one if nothing has to change.
// trusted says whether the API server has been told of a CA.
func (a *authority) renewed(now time.Time, names []string, caLife, certLife time.Duration,
	trusted func(*x509.Certificate) bool) (*authority, error) {
	newest := a.cas[0]
	if expired(newest, now) {
		return newAuthority(now, names, caLife, certLife)
	}
	next := &authority{cas: a.cas, key: a.key, served: a.served}
	next.cas = slices.DeleteFunc(slices.Clone(a.cas), func(ca *x509.Certificate) bool {
		return expired(ca, now)
	})
	changed := len(next.cas) != len(a.cas)

	usable := a.serves(now, names)
	if isDue(newest, now) {
		// Signed once more before its key goes: so the new CA has time to become known.
		if err := next.sign(now, names, certLife); err != nil {
			return nil, err
		}
		if err := next.addCA(now, caLife); err != nil {
			return nil, err
		}
		changed = true
	} else if !usable || isDue(a.served.Leaf, now) && trusted(newest) {
		if err := next.sign(now, names, certLife); err != nil {
			return nil, err
		}
		changed = true
	}
	if !changed {
		return a, nil
	}
	return next, nil
}

// nextRenewal is when something will have to change.
func (a *authority) nextRenewal() time.Time {
	at := due(a.served.Leaf)
	if ca := due(a.cas[0]); ca.Before(at) {
		at = ca
	}
	for _, ca := range a.cas {
		if ca.NotAfter.Before(at) {
			at = ca.NotAfter
		}
	}
	return at
}

// serves says whether the serving certificate is one that a client who trusts the CAs accepts.
func (a *authority) serves(now time.Time, names []string) bool {
	roots := x509.NewCertPool()
	for _, ca := range a.cas {
		roots.AddCert(ca)
	}
	if now.Before(a.served.Leaf.NotBefore) {
		now = a.served.Leaf.NotBefore
	}
	for _, name := range names {
		if _, err := a.served.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots,
			CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}); err != nil {
			return false
		}
	}
	return true
}

// One that is not valid yet is not expired: a replica whose clock is behind must not throw away
// what the others have made.
func expired(cert *x509.Certificate, now time.Time) bool { return !now.Before(cert.NotAfter) }

// due is when two thirds of a certificate's life are over.
func due(cert *x509.Certificate) time.Time {
	made := cert.NotBefore.Add(skew)
	return made.Add(cert.NotAfter.Sub(made) * 2 / 3)
}

func isDue(cert *x509.Certificate, now time.Time) bool { return !now.Before(due(cert)) }

func (a *authority) addCA(now time.Time, life time.Duration) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("no key for a CA: %w", err)
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: fmt.Sprintf("sluice admission CA %d", now.Unix())},
		KeyUsage:              x509.KeyUsageCertSign,
		IsCA:                  true,
		MaxPathLenZero:        true,
		BasicConstraintsValid: true,
	}
	ca, err := issue(template, template, key.Public(), key, now, now.Add(life))
	if err != nil {
		return fmt.Errorf("no CA: %w", err)
	}
	a.cas, a.key = slices.Insert(slices.Clone(a.cas), 0, ca), key
	return nil
}

func (a *authority) sign(now time.Time, names []string, life time.Duration) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("no key to serve with: %w", err)
	}
	until := now.Add(life)
	if ca := a.cas[0]; ca.NotAfter.Before(until) {
		until = ca.NotAfter
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "sluice admission"},
		DNSNames:              names,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	cert, err := issue(template, a.cas[0], key.Public(), a.key, now, until)
	if err != nil {
		return fmt.Errorf("no certificate to serve with: %w", err)
	}
	a.served = tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}
	return nil
}

func issue(template, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer,
	now, until time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial.Add(serial, big.NewInt(1))
	template.NotBefore, template.NotAfter = now.Add(-skew).UTC(), until.UTC()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}
