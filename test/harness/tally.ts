// What a run of chaos or fuzz counted, as a line of its output that `npm run test:night` adds up.

export const TALLIED = ['writes', 'kills', 'requests', 'files', 'findings'] as const
export type Tally = Partial<Record<(typeof TALLIED)[number], number>>

const LINE_START = 'Counted: '

export const formatTally = (tally: Tally): string => `${LINE_START}${JSON.stringify(tally)}`

/** Reads the last tally of an output. Returns an empty one if there is none. */
export function readTally(output: string): Tally {
  const line = output
    .split('\n')
    .filter((each) => each.startsWith(LINE_START))
    .at(-1)
  return line ? JSON.parse(line.slice(LINE_START.length)) : {}
}
