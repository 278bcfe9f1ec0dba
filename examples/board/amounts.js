// SPDX-License-Identifier: Apache-2.0
// Amounts, durations and times as people read them. Amounts are in base units: thousandths of cpu,
// units of all else; durations and times in milliseconds.
"use strict";

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal = ["", "k", "M", "G", "T", "P", "E"];

const isBytes = (resource) =>
  resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");

// Three figures at most, and never a zero behind the point.
function figures(number) {
  const digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2;
  return String(Number(number.toFixed(digits)));
}

function amount(resource, value) {
  if (resource === "cpu") value /= 1000;
  const [base, units] = isBytes(resource) ? [1024, binary] : [1000, decimal];
  if (!isBytes(resource) && Math.abs(value) < 10000) return String(Math.round(value * 1000) / 1000);
  let unit = 0;
  while (Math.abs(value) >= base && unit < units.length - 1) {
    value /= base;
    unit++;
  }
  return figures(value) + units[unit];
}

// "8 nvidia.com/gpu, 64 cpu": what is scarce comes first, and a pod for itself is not said.
function amounts(map) {
  const names = Object.keys(map || {}).filter((name) => name !== "pods").sort(byScarcity);
  if (names.length === 0) return map && map.pods ? `${map.pods} ${map.pods === 1 ? "pod" : "pods"}` : "nothing";
  return names.map((name) => `${amount(name, map[name])} ${short(name)}`).join(", ");
}

// A resource without its vendor.
const short = (resource) => resource.slice(resource.indexOf("/") + 1);

const scarcity = (resource) =>
  /gpu|tpu|npu|accelerator/i.test(resource) ? 0 : resource === "cpu" ? 1 : resource === "memory" ? 2 : resource === "pods" ? 4 : 3;

const byScarcity = (a, b) => scarcity(a) - scarcity(b) || (a < b ? -1 : 1);

function duration(ms) {
  const s = Math.abs(ms) / 1000;
  if (s < 10) return `${Number(s.toFixed(s < 1 ? 3 : 1))} s`;
  if (s < 100) return `${Math.round(s)} s`;
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, size]) => s >= size);
  const [name, size] = units[first];
  const whole = Math.floor(s / size);
  const [next, step] = units[first + 1];
  const rest = Math.floor((s - whole * size) / step);
  return rest ? `${whole} ${name} ${rest} ${next}` : `${whole} ${name}`;
}

// When something was: in a story, counted from its beginning.
function moment(clock, ms) {
  if (clock === "wall") return new Date(ms).toLocaleTimeString();
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(3)} s`;
  return `${Math.floor(s / 60)}:${(s % 60).toFixed(3).padStart(6, "0")}`;
}

const many = (n, one, more) => `${n.toLocaleString("en")} ${n === 1 ? one : more || one + "s"}`;
