// Finds where people are at a given time: lists people who match the words of a search, each with the
// bookables that they have booked for that time, or else the bookables assigned to them.
import type pg from 'pg'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { CHOICES_MAX, searchUsers, type UserChoice } from '../../pages/search/choices.ts'
import { type BookedSeat, describeSeatTime, listSeats } from '../../pages/search/seats.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import type { MapNames } from './describe-bookables.ts'
import type { MapMoment } from './queries.ts'

type Whereabouts = UserChoice & { places: BookedSeat[] }

type MapCall = Call<unknown, { names?: MapNames | undefined }>

export async function findWhereabouts(reads: pg.Pool, words: string, at: string): Promise<Whereabouts[]> {
  const users = await searchUsers(reads, words)
  const ids = users.map(({ id }) => id)
  const seats = (await listSeats(reads, ids, at)).filter(({ rank }) => rank === 0)
  const found = users.map((user) => {
    const own = seats.filter(({ userId }) => userId === user.id)
    const booked = own.filter(({ isAssigned }) => !isAssigned)
    return { ...user, places: booked.length > 0 ? booked : own }
  })
  // Sorts people who have a seat before people who have none.
  return found.sort((one, other) => Number(one.places.length === 0) - Number(other.places.length === 0))
}

/** Returns the seat if exactly one person was found and this person has exactly one seat. */
export function findOnlySeat(found: Whereabouts[]): BookedSeat | undefined {
  const [first, ...others] = found.flatMap(({ places }) => places)
  return found.length === 1 && others.length === 0 ? first : undefined
}

/** Returns the address of the map that shows the seat, at the same time and with people named the same way. */
export function formatPlaceAddress(call: MapCall, place: BookedSeat, { at, isNow }: MapMoment): string {
  const [date, time] = formatLocalDateTime(at, place.zone).split('T')
  const moment = isNow ? {} : { date, time }
  const { names } = call.query
  return `${call.link('/map', { location: place.locationId, bookable: place.bookableId, ...moment, names })}#chosen`
}

export function showWhereabouts(call: MapCall, found: Whereabouts[], moment: MapMoment): Html {
  if (found.length === 0) return showNotice('warn', t`No active people found.`)
  const entries = found.slice(0, CHOICES_MAX).map(({ id, name, places }) => {
    const shown = places.map(
      (place) =>
        html`${showLinkOrText(formatPlaceAddress(call, place, moment), place.bookable)}, ${place.location}, ${place.building} <span class="soft">${describeSeatTime(place, moment.at)}</span> `,
    )
    return html`<li>${showLinkOrText(call.link(`/people/${id}`), name)}: ${places.length === 0 ? t`no desk or room at this time` : shown}</li>`
  })
  return html`<section class="card" aria-label="${t`People found`}"><ul class="rows">${entries}</ul>${
    found.length > CHOICES_MAX &&
    html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`
  }</section>`
}
