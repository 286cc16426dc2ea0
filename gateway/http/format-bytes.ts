// A number of bytes as people read it, for the limits that failures name.
const UNITS = [
  { name: 'MiB', bytes: 1024 ** 2 },
  { name: 'KiB', bytes: 1024 },
]

/** Exact: a limit that is no whole number of a unit is given in a smaller one. */
export function formatBytes(bytes: number): string {
  const unit = UNITS.find((each) => bytes % each.bytes === 0)
  return unit ? `${bytes / unit.bytes} ${unit.name}` : `${bytes} bytes`
}
