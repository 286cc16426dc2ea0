// Shows who is in on a day: the person's favourites and the people in the person's groups, by floor, and the
// people who work at home. People's own pages read only colleagues who allow it
// (gateway/reads/limits/personal-limits.ts).
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, t } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import type { BookedSeat } from '../pages/search/seats.ts'
import { formatDate } from '../pages/time/instants.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { showAvatar } from '../pages/ui/avatars.ts'
import { showLink, showLinkOrText } from '../pages/ui/parts.ts'
import type { Colleague, ListedColleague } from './week/favourites-and-groups.ts'

export type PresentColleague = { colleague: Colleague; seat: BookedSeat }
type ShownFloor = { name: string; people: PresentColleague[] }

const HOME_FLOOR = ''
const naturalOrder = new Intl.Collator('en', { numeric: true })

export const isAtHome = ({ seat }: PresentColleague) => seat.type === BOOKABLE_TYPES.homeOffice

/** Returns the people with a seat on the day that is shown. People at home come last. */
export function listPresentColleagues(colleagues: ListedColleague[]): PresentColleague[] {
  const present = colleagues.flatMap(({ seat, ...colleague }) => (seat ? [{ colleague, seat }] : []))
  return [...present.filter((each) => !isAtHome(each)), ...present.filter(isAtHome)]
}

/** Groups people by building and floor, with home offices last. */
function groupByFloor(present: PresentColleague[]): ShownFloor[] {
  const floors = new Map<string, ShownFloor>()
  for (const each of present) {
    const { location, building } = each.seat
    const key = isAtHome(each) ? HOME_FLOOR : `${building} ${location}`
    const name = isAtHome(each) ? t`Home office` : `${location}, ${building}`
    const floor = floors.get(key) ?? { name, people: [] }
    floor.people.push(each)
    floors.set(key, floor)
  }
  const rank = (key: string) => (key === HOME_FLOOR ? 1 : 0)
  return [...floors]
    .sort(([one], [other]) => rank(one) - rank(other) || naturalOrder.compare(one, other))
    .map(([, floor]) => floor)
}

/** Shows the names by floor, with at most `max` names. */
export function showFloors(
  present: PresentColleague[],
  showPerson: (present: PresentColleague) => Html,
  max: number,
): Html {
  const shown = groupByFloor(present.slice(0, max))
  const more = present.length - max
  return html`${shown.map(
    ({
      name,
      people,
    }) => html`<section class="card my-floor"><h3>${name} <span class="soft">${people.length}</span></h3>
<ul>${people.map(showPerson)}</ul></section>`,
  )}${more > 0 && html`<p class="soft">${plural(more, 'and # more', 'and # more')}</p>`}`
}

/** Shows until when a colleague is away, or nothing. */
export const showAway = ({ awayUntil }: Pick<Colleague, 'awayUntil'>): Html | false =>
  awayUntil !== null &&
  html` <span class="badge warn">${t`away until ${formatDate(awayUntil, 'weekday')}`}</span>`

/** Shows the avatar and the name of a colleague. */
export const showName = ({ id, name, isFavourite }: Colleague): Html =>
  html`${showAvatar({ id, name })}<span>${name}</span>${isFavourite && html` <span class="my-star" role="img" aria-label="${t`favourite`}">★</span>`}`

/** Shows a colleague. The name of the colleague's desk links to what is free near it on `date`, which
 * defaults to today. */
export const showPerson = (call: Call, { colleague, seat }: PresentColleague, date?: string): Html =>
  html`<li><span>${showLinkOrText(call.link(`/people/${colleague.id}`), showName(colleague))}${showAway(colleague)}
<span class="soft">${seat.type !== BOOKABLE_TYPES.homeOffice && html`${seat.bookable} · `}${formatSpan(seat, seat.zone, seat.from)}</span></span>${
    seat.type === BOOKABLE_TYPES.desk && showNearDeskLink(call, colleague, seat, date)
  }</li>`

export function showNearDeskLink(
  call: Call,
  { id, name }: Pick<Colleague, 'id' | 'name'>,
  { zone }: BookedSeat,
  date = formatLocalDate(call.now, zone),
): Html | null {
  const address = call.link('/book', { with: id, date })
  return showLink(address, t`Book nearby`, { class: 'my-near', 'aria-label': `${t`Book nearby`}: ${name}` })
}
