// What a run finds, and how it is printed: how often each promise was broken, and its first findings.
export type Finding<Promised extends string = string> = {
  promise: Promised
  what: string
  /** Describes how the finding occurred, one line each. */
  about?: string[]
}

type Row = Array<string | number>

const SHOWN_FINDINGS_MAX = 5

export const describeFinding = ({ promise, what, about = [] }: Finding): string =>
  [`${promise}: ${what}`, ...about.map((line) => `  ${line}`)].join('\n')

export function describeFindings(promises: readonly string[], findings: Finding[]): string {
  const found = promises.map((promise) => findings.filter((finding) => finding.promise === promise))
  return [
    formatTable(
      ['broken promise', 'times'],
      promises.map((promise, index) => [promise, found[index]?.length ?? 0]),
    ),
    ...found.flatMap((each) => each.slice(0, SHOWN_FINDINGS_MAX)).map(describeFinding),
  ].join('\n\n')
}

/** Formats a Markdown table; all columns except the first are numbers. */
export function formatTable(head: Row, rows: Row[]): string {
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
