// Formats a number of bytes for people, for the limits in error messages.
const UNITS = [
  { name: 'MiB', bytes: 1024 ** 2 },
  { name: 'KiB', bytes: 1024 },
]

/** Exact: a limit that is not a whole number of a unit is given in a smaller one. */
export function formatBytes(bytes: number): string {
  const unit = UNITS.find((each) => bytes % each.bytes === 0)
  return unit ? `${bytes / unit.bytes} ${unit.name}` : `${bytes} bytes`
}
