// Says why nothing is free, if a rule forbids it, and what else the person can do.
import type { Refusal } from '../../../../shared/messages/refusal.ts'
import { waitedType } from '../../../../shared/waits/waits.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { waitAddress } from './floor-map.ts'
import { showSeats } from './seat-list.ts'
import { listFreeSeats } from './seats.ts'
import type { Wanted } from './wanted.ts'

const ELSEWHERE_MAX = 5

export async function showNothingFree(
  call: Call,
  { floor, time, type }: Wanted,
  { people, reason }: { people: number | undefined; reason: Refusal | undefined },
): Promise<Html> {
  const { locationId: location, buildingId: building } = floor
  const elsewhere =
    time.to <= call.now ? [] : await listFreeSeats(call, { building, type, people }, time, ELSEWHERE_MAX)
  // A person who waits for what a rule forbids would wait forever.
  const wait =
    !reason &&
    waitedType().isValidSync(type) &&
    showLinkOrText(waitAddress(call, { location, type, from: time.from, to: time.to }), t`Wait for a place`, {
      class: 'button quiet',
    })
  return html`${showEmpty(
    reason ? formatMessage(reason.detail) : t`Nothing is free here at that time.`,
    html`<p>${t`Choose another day, time or floor.`}</p>${wait}`,
  )}
${elsewhere.length > 0 && html`<h2>${t`Free on other floors`}</h2>${showSeats(call, elsewhere, time, location)}`}`
}
