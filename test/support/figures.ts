// Parses the answer of /metrics strictly: a line that is not in Prometheus's text format fails the test.
export type Metric = { name: string; labels: Record<string, string>; value: number }

export function parseMetrics(text: string): Metric[] {
  if (!text.endsWith('\n')) throw new Error('The last line has no end')
  const types = new Map<string, string>()
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      if (line === '') return []
      if (line.startsWith('#')) {
        const [, type, name = '', kind = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
        if (!type) throw new Error(`Not a comment of the format: ${line}`)
        if (type === 'TYPE' && types.has(name)) throw new Error(`Twice: ${line}`)
        if (type === 'TYPE') types.set(name, kind)
        return []
      }
      const figure = parseMetric(line)
      if (!types.has(figure.name) && !types.has(figure.name.replace(/_(bucket|sum|count)$/, '')))
        throw new Error(`Without a type: ${line}`)
      return [figure]
    })
}

/** Returns the sum of the metrics that have the given name and at least the given labels. */
export function sumMetrics(figures: Metric[], name: string, labels: Record<string, string> = {}): number {
  return figures
    .filter((figure) => figure.name === name)
    .filter((figure) => Object.entries(labels).every(([label, value]) => figure.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}

function parseMetric(line: string): Metric {
  const [, name, list = '', value] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$/.exec(line) ?? []
  if (!name || (!/^(\+Inf|nan)$/i.test(String(value)) && !Number.isFinite(Number(value))))
    throw new Error(`Not a figure: ${line}`)
  const labels = [...list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text])
  return { name, labels: Object.fromEntries(labels), value: Number(value) }
}

/** Returns the metrics of a process. */
export async function fetchMetrics(url: string): Promise<Metric[]> {
  const answer = await fetch(`${url}/metrics`)
  if (answer.status !== 200) throw new Error(`${url}/metrics answered ${answer.status}`)
  return parseMetrics(await answer.text())
}
