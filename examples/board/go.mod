module sluice/board

go 1.26.0
