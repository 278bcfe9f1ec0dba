// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// allocatedBytes is what the API server calls it, of all Go programs.
const allocatedBytes = "go_memstats_alloc_bytes_total"

// Allocated is how many bytes the API server has allocated since its start, to a MiB or two. Other
// work on the machine does not change it, as it does the time on the processors. To ask allocates
// some MiB, too: who counts asks twice before, and takes off what that gave.
func (p *Plane) Allocated(ctx context.Context) (float64, error) {
	text, err := p.Client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("the metrics of the API server: %w", err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), allocatedBytes+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, errors.New("the metrics of the API server have no " + allocatedBytes)
}
