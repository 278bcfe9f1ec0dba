module sluice/volcano-tables

go 1.26.0
