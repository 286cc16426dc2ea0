// Measures alternately, so that other work on the machine affects all measurements alike, and reports medians.

export type Measurement = { medianMs: number; p95Ms: number }

/** Runs each piece of work once per round. Some warm-up rounds come first, and their results do not count. */
export async function measureAlternately<Name extends string>(
  works: Record<Name, () => Promise<unknown>>,
  { rounds, warmUp = 8 }: { rounds: number; warmUp?: number },
): Promise<Record<Name, Measurement>> {
  const names = Object.keys(works) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of names) {
      const started = performance.now()
      await works[name]()
      if (round >= 0) times[name].push(performance.now() - started)
    }
  }
  return Object.fromEntries(
    names.map((name) => [
      name,
      { medianMs: computeQuantile(times[name], 0.5), p95Ms: computeQuantile(times[name], 0.95) },
    ]),
  ) as Record<Name, Measurement>
}

export function printTable(head: string[], rows: Array<Array<string | number>>): void {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  console.log(`\n${lines.join('\n')}`)
}

export const formatMs = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

export function computeQuantile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
