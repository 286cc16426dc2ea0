// Parses those parts of an iCalendar text (RFC 5545) that Berth needs to read an answer to an invitation. Skips lines
// that it cannot parse, because calendar programs add their own properties.

export type Property = { name: string; parameters: Map<string, string>; value: string }
/** A calendar with the properties of its entries. */
export type Calendar = { method: string; entries: Property[][] }

const LINE = /^([A-Z\d-]+)((?:;[A-Z\d-]+=(?:"[^"]*"|[^";:])*)*):(.*)$/is
const PARAMETER = /;([A-Z\d-]+)=((?:"[^"]*"|[^";:])*)/gi

/** Parses a calendar. Returns undefined if the text is not a complete calendar. */
export function parseCalendar(text: string): Calendar | undefined {
  const calendar: Calendar = { method: '', entries: [] }
  const open: string[] = []
  let isWhole = false
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const property = parseLine(line)
    if (!property) continue
    const { name, value } = property
    const component = value.trim().toUpperCase()
    if (name === 'BEGIN') {
      open.push(component)
      if (open.join(' ') === 'VCALENDAR VEVENT') calendar.entries.push([])
    } else if (name === 'END') {
      if (open.pop() !== component) return undefined
      isWhole ||= component === 'VCALENDAR'
    } else if (open.length === 1 && name === 'METHOD') calendar.method = component
    else if (open.length === 2 && open[1] === 'VEVENT') calendar.entries.at(-1)?.push(property)
  }
  return isWhole && open.length === 0 ? calendar : undefined
}

function parseLine(line: string): Property | undefined {
  const [, name, parameters = '', value] = LINE.exec(line) ?? []
  if (name === undefined || value === undefined) return undefined
  const pairs = [...parameters.matchAll(PARAMETER)].map(([, key = '', text = '']): [string, string] => [
    key.toUpperCase(),
    text.replace(/^"|"$/g, ''),
  ])
  return { name: name.toUpperCase(), parameters: new Map(pairs), value }
}
