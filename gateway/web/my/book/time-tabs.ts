// Shows the usual times of a place as tabs that choose the time to book.
import { findLongestSlotSpan, type Slot } from '../../../../shared/rules/slots.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import type { Html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import { formatShortSpan, listUsualSpans, type PlaceHours, type WantedTime } from './wanted-time.ts'

type TabOptions = {
  /** Whether the place is for short bookings, such as a meeting room. */
  isShort: boolean
  /** Tabs before the others. */
  before?: Parameters<typeof showTabs>[1]
}

/**
 * Shows the usual times of a place as tabs: its slots or, without slots, the whole day and its halves. For short
 * bookings, shows one and two hours.
 */
export function showTimeTabs(
  call: Call,
  place: PlaceHours,
  time: WantedTime,
  { isShort, before = [] }: TabOptions,
): Html {
  const slots = listSlotChoices(place.slots ?? []).map(({ name, ...span }) => ({ label: name, ...span }))
  const usual = listUsualSpans(time, place, isShort).map((span) => ({
    ...span,
    label: `${span.label} ${formatShortSpan(span)}`.trim(),
  }))
  const clock = formatLocalDateTime(call.now, time.zone)
  // Leaves out times that are over.
  const left = (slots.length > 0 ? slots : usual).filter(({ to }) => `${time.date}T${to}` > clock)
  return showTabs(t`Time`, [
    ...before,
    ...left.map(({ label, from, to }) => ({
      label,
      address: call.linkHere({ date: time.date, from, to, all: null }),
      isCurrent: time.query.from === from && time.query.to === to,
      staysInSheet: true,
    })),
  ])
}

function listSlotChoices(slots: Slot[]): Slot[] {
  const all = findLongestSlotSpan(slots)
  const isNamed = all && slots.some(({ from, to }) => from === all.from && to === all.to)
  return all && !isNamed ? [...slots, { name: t`All slots`, ...all }] : slots
}

/**
 * Returns the possible starts and ends at a place that is booked in whole slots. Returns undefined for other places.
 */
export function listSlotTimes({ slots, slotOnly }: PlaceHours) {
  if (!slots || !slotOnly) return undefined
  const toOptions = (times: string[]) => [...new Set(times)].sort().map((value) => ({ value, label: value }))
  return { from: toOptions(slots.map(({ from }) => from)), to: toOptions(slots.map(({ to }) => to)) }
}
