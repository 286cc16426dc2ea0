// The part of the new-booking page that finds a desk, room or parking spot: first a time, then what is free.
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import type { BuildingChoice } from '../search/choices.ts'
import { formatZone } from '../time/zones.ts'
import { splitTags, TYPE_OPTIONS } from '../ui/bookables.ts'
import { searchForm } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/links.ts'
import {
  type FreeBookable,
  type FreeSearch,
  freeQuery,
  listFree,
  searchByName,
  shownAtOnce,
} from './free-bookables.ts'
import { showFreeTable } from './free-table.ts'
import { listFloors } from './queries.ts'
import { localTimeOf, type RequestedTime, requestedTimeQuery } from './requested-time.ts'

export const choosingQuery = { ...requestedTimeQuery, ...freeQuery }

type Query = {
  building?: number | undefined
  location?: number | undefined
  type?: number | undefined
  tags?: string | undefined
  place?: string | undefined
  all?: boolean | undefined
}

export async function showBookableChoices(
  call: Call<unknown, Query>,
  requested: RequestedTime,
  buildings: BuildingChoice[],
  user: number | undefined,
): Promise<Html> {
  const { building, location, type, tags, place, all } = call.query
  const floors = building === undefined ? [] : await listFloors(call.reads, building)
  const floor = floors.find(({ id }) => id === location)?.id
  const search: FreeSearch = { building, location: floor, type, tags: splitTags(tags), user }
  const isNamed = place !== undefined
  const { found, hasMore } = isNamed
    ? await searchByName(call.reads, place, search, requested)
    : await listFree(call.reads, search, requested, { limit: shownAtOnce(all) })
  const option = ({ id, name }: { id: number; name: string }) => ({ value: id, label: name })
  const any = { value: '', label: t`Any` }
  const zone = t`Time zone: ${formatZone(requested.zone)}`
  return html`<div class="search">${searchForm(call, t`Show free`, (fields) => [
    fields.text({
      name: 'from',
      label: t`From`,
      type: 'datetime-local',
      value: requested.local.from,
      hint: zone,
      required: true,
    }),
    fields.text({
      name: 'to',
      label: t`Until`,
      type: 'datetime-local',
      value: requested.local.to,
      hint: zone,
      required: true,
    }),
    fields.select({
      name: 'building',
      label: t`Building`,
      value: building,
      options: [any, ...buildings.map(option)],
    }),
    floors.length > 0 &&
      fields.select({
        name: 'location',
        label: t`Floor`,
        value: floor,
        options: [any, ...floors.map(option)],
      }),
    fields.select({ name: 'type', label: t`Type`, value: type, options: [any, ...TYPE_OPTIONS] }),
    fields.text({
      name: 'tags',
      label: t`Tags`,
      value: tags,
      placeholder: t`window, quiet`,
      maxlength: 1_000,
    }),
    fields.text({
      name: 'place',
      label: t`Name, location or building`,
      type: 'search',
      value: place,
      maxlength: 255,
    }),
  ])}</div>
<h3>${isNamed ? t`Matches` : t`Free at that time`}</h3>
${showFreeTable({
  found,
  hasMore,
  more: isNamed || all ? undefined : call.linkHere({ all: 'true' }),
  choose: (each) => chooseLink(each, isNamed, addressOf(call, requested, each)),
  empty: isNamed
    ? html`<p>${t`No matches.`}</p>`
    : html`<p><strong>${t`Nothing is free at that time.`}</strong></p><p>${t`Try another time, floor or type.`}</p>`,
})}`
}

/** The address of this page with the bookable chosen, and the same time in the bookable's time zone. */
export function addressOf(
  call: Call,
  requested: Pick<RequestedTime, 'from' | 'to'>,
  each: FreeBookable,
): string {
  return call.linkHere({ bookable: each.id, place: null, all: null, ...localTimeOf(requested, each.zone) })
}

function chooseLink({ name }: FreeBookable, isNamed: boolean, address: string): Html {
  const [text, label] = isNamed ? [t`Choose`, t`Choose ${name}`] : [t`Book`, t`Book ${name}`]
  return showLinkOrText(address, text, { 'aria-label': label })
}
