// Reads calendar files like a calendar program, with ical.js and with Debian's python3-icalendar: reads the files in
// the order of their arrival, keeps the newest version of each entry, and expands the repetition rules.
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import ICAL from 'ical.js'

export type ShownEntry = { uid: string; from: string; to: string; name: string; place: string }

const keyOf = ({ uid, from, name, place }: ShownEntry) => JSON.stringify([uid, from, name, place])
export const sortEntries = (entries: ShownEntry[]) =>
  entries.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))

type KnownEntry = { sequence: number; components: ICAL.Component[] }

const recurrenceOf = (component: ICAL.Component): string | undefined => {
  const time = component.getFirstPropertyValue('recurrence-id')
  return time instanceof ICAL.Time ? time.toJSDate().toISOString() : undefined
}
const isCancelled = (component: ICAL.Component) => component.getFirstPropertyValue('status') === 'CANCELLED'

/** RFC 5546: a newer entry replaces an older one. One with RECURRENCE-ID replaces or cancels a single date. */
export function showWithIcalJs(files: string[]): ShownEntry[] {
  const known = new Map<string, KnownEntry>()
  for (const file of files) {
    const calendar = new ICAL.Component(ICAL.parse(file))
    const events = calendar.getAllSubcomponents('vevent')
    const uidOf = (event: ICAL.Component) => String(event.getFirstPropertyValue('uid'))
    for (const uid of new Set(events.map(uidOf))) {
      const components = events.filter((each) => uidOf(each) === uid)
      const sequence = Math.max(...components.map((each) => Number(each.getFirstPropertyValue('sequence'))))
      const former = known.get(uid)
      if (former && sequence <= former.sequence) continue
      const isWhole = components.some((each) => recurrenceOf(each) === undefined)
      const replaced = new Set(components.map(recurrenceOf))
      const kept = isWhole
        ? []
        : (former?.components ?? []).filter((each) => !replaced.has(recurrenceOf(each)))
      known.set(uid, { sequence, components: [...kept, ...components] })
    }
  }
  return sortEntries([...known].flatMap(([uid, { components }]) => expand(uid, components)))
}

function expand(uid: string, components: ICAL.Component[]): ShownEntry[] {
  const master =
    components.find((each) => recurrenceOf(each) === undefined) ?? expect.fail(`${uid} has no master`)
  const event = new ICAL.Event(master, { exceptions: components.filter((each) => each !== master) })
  if (isCancelled(master)) return []
  const show = (item: ICAL.Event, startDate: ICAL.Time, endDate: ICAL.Time) => ({
    uid,
    from: startDate.toJSDate().toISOString(),
    to: endDate.toJSDate().toISOString(),
    name: item.summary,
    place: item.location ?? '',
  })
  if (!event.isRecurring()) return [show(event, event.startDate, event.endDate)]
  const found: ShownEntry[] = []
  const iterator = event.iterator()
  for (let next = iterator.next(); next; next = iterator.next()) {
    const { item, startDate, endDate } = event.getOccurrenceDetails(next)
    if (!isCancelled(item.component)) found.push(show(item, startDate, endDate))
  }
  return found
}

const SCRIPT = `
import sys, json
from datetime import timezone
from zoneinfo import ZoneInfo
from dateutil.rrule import rruleset, rrulestr
from icalendar import Calendar

def many(value):
    return [] if value is None else value if isinstance(value, list) else [value]

def instant(time):
    return time.astimezone(timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')

class Times:
    """Reads times in the zones of one calendar file, and checks each against the VTIMEZONE of the file."""
    def __init__(self, calendar):
        self.zones = {str(each['TZID']): each.to_tz() for each in calendar.walk('VTIMEZONE')}

    def aware(self, time, prop):
        name = prop.params.get('TZID')
        if name is None or str(name) == 'UTC':
            return time
        naive = time.replace(tzinfo=None)
        read = naive.replace(tzinfo=ZoneInfo(str(name)))
        described = self.zones[str(name)].localize(naive)
        assert described.utcoffset() == read.utcoffset(), f'VTIMEZONE: {naive} is {described.utcoffset()}'
        return read

    def one(self, event, name):
        return None if name not in event else self.aware(event[name].dt, event[name])

    def several(self, event, name):
        return [self.aware(each.dt, prop) for prop in many(event.get(name)) for each in prop.dts]

known = {}
for file in json.load(sys.stdin):
    calendar = Calendar.from_ical(file)
    times = Times(calendar)
    by_uid = {}
    for event in calendar.walk('VEVENT'):
        assert not event.errors, event.errors
        by_uid.setdefault(str(event['UID']), []).append((event, times))
    for uid, events in by_uid.items():
        sequence = max(int(event.get('SEQUENCE', 0)) for event, _ in events)
        former = known.get(uid)
        if former and sequence <= former[0]:
            continue
        by_id = {times.one(event, 'RECURRENCE-ID'): (event, times) for event, times in events}
        by_id = {None if key is None else instant(key): each for key, each in by_id.items()}
        kept = {} if None in by_id or not former else former[1]
        known[uid] = (sequence, {**kept, **by_id})

def show(uid, event, start, end):
    return {'uid': uid, 'from': instant(start), 'to': instant(end), 'name': str(event.get('SUMMARY', '')),
            'place': str(event.get('LOCATION', ''))}

shown = []
for uid, (_, by_id) in known.items():
    master, times = by_id[None]
    if master.get('STATUS') == 'CANCELLED':
        continue
    start = times.one(master, 'DTSTART')
    length = master['DURATION'].dt if 'DURATION' in master else times.one(master, 'DTEND').astimezone(timezone.utc) - start.astimezone(timezone.utc)
    dates = rruleset()
    dates.rdate(start)
    if 'RRULE' in master:
        dates.rrule(rrulestr(master['RRULE'].to_ical().decode(), dtstart=start))
    for each in times.several(master, 'RDATE'):
        dates.rdate(each)
    excluded = {instant(each) for each in times.several(master, 'EXDATE')}
    for date in dates:
        if instant(date) in excluded:
            continue
        event, its_times = by_id.get(instant(date), (master, times))
        if event.get('STATUS') == 'CANCELLED':
            continue
        if event is master:
            shown.append(show(uid, master, date, date.astimezone(timezone.utc) + length))
        else:
            shown.append(show(uid, event, its_times.one(event, 'DTSTART'), its_times.one(event, 'DTEND')))
json.dump(shown, sys.stdout)
`

export function showWithPython(files: string[]): ShownEntry[] {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', SCRIPT], {
    input: JSON.stringify(files),
    maxBuffer: 256 * 1024 * 1024,
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  })
  if (status !== 0) throw new Error(`python3-icalendar does not read them: ${stderr}`)
  return sortEntries(JSON.parse(stdout))
}
