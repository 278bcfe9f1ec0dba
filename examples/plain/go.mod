module sluice/plain

go 1.26.0
