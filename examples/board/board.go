// SPDX-License-Identifier: Apache-2.0

// Package board is the page of this folder, for programs in Go: the files as they are here.
// README.md says what the page shows and what it reads.
package board

import "embed"

// Files are index.html and what it names.
//
//go:embed index.html board.css *.js
var Files embed.FS
