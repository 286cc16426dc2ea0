// Parses a start and an end from two fields of a form.
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../shared/schemas/wall-clock.ts'

type Typed = { from_time?: string | undefined; to_time?: string | undefined }
type Zones = { from: string; to: string }
type Present = { from: string; to: string | null }

/** Returns both as instants, or undefined for an empty field. */
export function parseSpan({ from_time, to_time }: Typed, zones: Zones, present?: Present) {
  const from = parse(from_time, 'from_time', zones.from, present?.from)
  const to = parse(to_time, 'to_time', zones.to, present?.to)
  if (from && to && to <= from) throw invalid({ to_time: [message`The end must be after the start.`] })
  return { from, to }
}

// Fields have no seconds, so a time that was not changed keeps its exact value, to the microsecond.
function parse(typed: string | undefined, field: keyof Typed, zone: string, present?: string | null) {
  if (!typed) return undefined
  return present && typed === formatLocalDateTime(present, zone)
    ? present
    : parseLocalDateTime(typed, zone, field)
}
