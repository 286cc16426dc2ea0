// Parses iCalendar files strictly according to RFC 5545, so it rejects everything that a calendar program
// might reject.

export type Component = { name: string; properties: Map<string, string>; components: Component[] }

const LINE_BYTES_MAX = 75
const NAME = /^([A-Z0-9-]+)((?:;[A-Z0-9-]+=(?:"[^"]+"|[^":;,]+))*):(.*)$/s
/** The properties whose value is a text, in which special characters are escaped. */
const TEXT_PROPERTIES = new Set(['SUMMARY', 'LOCATION', 'DESCRIPTION', 'NAME', 'X-WR-CALNAME', 'UID'])
const INSTANT_PROPERTIES = new Set(['DTSTAMP', 'CREATED', 'LAST-MODIFIED', 'DTSTART', 'DTEND'])
const INSTANT_PATTERN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
const REQUIRED_PROPERTIES: Record<string, string[]> = {
  VCALENDAR: ['VERSION', 'PRODID'],
  VEVENT: ['UID', 'DTSTAMP', 'DTSTART'],
}

/** Returns the only calendar of a file; throws if the file is invalid. */
export function parseCalendar(text: string): Component {
  if (!text.endsWith('\r\n')) throw new Error('The last line does not end')
  const open: Component[] = []
  let calendar: Component | undefined
  for (const line of unfold(text.slice(0, -2).split('\r\n'))) {
    if (calendar) throw new Error(`There is more behind the end: ${line}`)
    const [, name, , value] = NAME.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`This is no property: ${line}`)
    if (name === 'BEGIN') {
      open.push({ name: value, properties: new Map(), components: [] })
      continue
    }
    const component = open.at(-1)
    if (!component) throw new Error(`This is in no component: ${line}`)
    if (name !== 'END') {
      if (component.properties.has(name) && name !== 'ATTENDEE') throw new Error(`${name} is there twice`)
      component.properties.set(name, parseValue(name, value))
      continue
    }
    if (component.name !== value) throw new Error(`${value} ends, but ${component.name} is open`)
    for (const required of REQUIRED_PROPERTIES[value] ?? [])
      if (!component.properties.has(required)) throw new Error(`${value} has no ${required}`)
    open.pop()
    const parent = open.at(-1)
    if (parent) parent.components.push(component)
    else calendar = component
  }
  if (!calendar) throw new Error('The calendar does not end')
  return calendar
}

function unfold(lines: string[]): string[] {
  const whole: string[] = []
  for (const line of lines) {
    if (Buffer.byteLength(line) > LINE_BYTES_MAX) throw new Error(`A line has more than 75 octets: ${line}`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: rejects control characters
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(line)) throw new Error(`A control character: ${line}`)
    // Rejects half a character, which is invalid.
    if (!line.isWellFormed() || line.includes('\ufffd')) throw new Error(`Not whole characters: ${line}`)
    if (line.startsWith(' ')) whole.push(`${whole.pop() ?? ''}${line.slice(1)}`)
    else whole.push(line)
  }
  return whole
}

function parseValue(name: string, value: string): string {
  if (INSTANT_PROPERTIES.has(name)) return parseInstant(value)
  if (!TEXT_PROPERTIES.has(name)) return value
  if (/(?<!\\)(?:\\\\)*[;,]/.test(value)) throw new Error(`${name} is not escaped: ${value}`)
  return value.replace(/\\(.?)/gs, (_whole, escaped: string) => {
    if (!/^[\\;,nN]$/.test(escaped)) throw new Error(`${name} is escaped wrongly: ${value}`)
    return escaped.toLowerCase() === 'n' ? '\n' : escaped
  })
}

function parseInstant(value: string): string {
  const [, year, month, day, hour, minute, second] = INSTANT_PATTERN.exec(value) ?? []
  if (year === undefined) throw new Error(`This is no instant: ${value}`)
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  if (new Date(instant).toISOString() !== instant) throw new Error(`There is no such instant: ${value}`)
  return instant
}
