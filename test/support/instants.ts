// Converts instants to whole microseconds, for simple models.

const SECOND = 1_000_000n

export const HOUR = 3_600n * SECOND
export const DAY = 24n * HOUR

export function toMicros(instant: string): bigint {
  const [, second = '', fraction = '0'] = /^(.{19})(?:\.(\d+))?Z$/.exec(instant) ?? []
  return BigInt(Date.parse(`${second}Z`)) * 1_000n + BigInt(fraction.padEnd(6, '0'))
}

export function fromMicros(micros: bigint): string {
  const fraction = ((micros % SECOND) + SECOND) % SECOND
  const second = new Date(Number((micros - fraction) / 1_000n)).toISOString().slice(0, 19)
  return `${second}.${String(fraction).padStart(6, '0')}Z`
}
