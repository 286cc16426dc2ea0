// Shows what else the person can do if nothing is free. If a rule forbids every place, says so.
import type { Refusal } from '../../../../shared/messages/refusal.ts'
import { waitlistTypeInput } from '../../../../shared/waits/waits.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { formatJoinWaitlistAddress } from './floor-map.ts'
import { showSeats } from './seat-list.ts'
import { listFreeSeats } from './seats.ts'
import type { WantedPlace } from './wanted.ts'

const OTHER_FLOORS_MAX = 5

export async function showNothingFree(
  call: Call,
  { floor, time, type }: WantedPlace,
  { people, reason }: { people: number | undefined; reason: Refusal | undefined },
): Promise<Html> {
  const { locationId: location, buildingId: building } = floor
  const elsewhere =
    time.to <= call.now ? [] : await listFreeSeats(call, { building, type, people }, time, OTHER_FLOORS_MAX)
  // If a rule forbids a place, it has no waitlist, because people would wait forever.
  const wait =
    !reason &&
    waitlistTypeInput().isValidSync(type) &&
    showLinkOrText(
      formatJoinWaitlistAddress(call, { location, type, from: time.from, to: time.to }),
      t`Wait for a place`,
      {
        class: 'button quiet',
      },
    )
  return html`${showEmptyState(
    reason ? formatMessage(reason.detail) : t`Nothing is free here at that time.`,
    html`<p>${t`Choose another day, time or floor.`}</p>${wait}`,
  )}
${elsewhere.length > 0 && html`<h2>${t`Free on other floors`}</h2>${showSeats(call, elsewhere, time, location)}`}`
}
