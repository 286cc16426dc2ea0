// Reads calendars with a library in another language, Debian's python3-icalendar.
import { spawnSync } from 'node:child_process'

const READER_SCRIPT = `
import sys, json
from icalendar import Calendar
calendar = Calendar.from_ical(sys.stdin.buffer.read())
events = [
  {
    'uid': str(event['UID']), 'sequence': int(event.get('SEQUENCE', 0)), 'status': str(event.get('STATUS', '')),
    'summary': str(event.get('SUMMARY', '')), 'location': str(event.get('LOCATION', '')),
    'description': str(event.get('DESCRIPTION', '')), 'transparency': str(event.get('TRANSP', '')),
    'from': event['DTSTART'].dt.isoformat(), 'to': event['DTEND'].dt.isoformat() if 'DTEND' in event else None,
    'changed': event['DTSTAMP'].dt.isoformat(), 'errors': [str(each) for each in event.errors],
  }
  for event in calendar.walk('VEVENT')
]
json.dump({'name': str(calendar.get('X-WR-CALNAME', '')), 'version': str(calendar['VERSION']), 'events': events}, sys.stdout)
`

type ReadEvent = {
  uid: string
  sequence: number
  status: string
  summary: string
  location: string
  description: string
  transparency: string
  from: string
  to: string | null
  changed: string
  errors: string[]
}

// Uses Debian's own Python, because another Python earlier in the PATH lacks Debian's packages.
const PYTHON_PATH = '/usr/bin/python3'

export const hasPython = () => spawnSync(PYTHON_PATH, ['-c', 'import icalendar']).status === 0

export function readWithPython(file: string): { name: string; version: string; events: ReadEvent[] } {
  const { status, stdout, stderr } = spawnSync(PYTHON_PATH, ['-c', READER_SCRIPT], {
    input: file,
    maxBuffer: 256 * 1024 * 1024,
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  })
  if (status !== 0) throw new Error(`python3-icalendar does not read it: ${stderr}`)
  return JSON.parse(stdout)
}
