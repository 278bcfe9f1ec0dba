// SPDX-License-Identifier: Apache-2.0

// Etcd at the version that the API server of this module is made for.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
