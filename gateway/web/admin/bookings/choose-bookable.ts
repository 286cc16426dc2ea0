// Chooses a desk, room or parking spot: what is free at a time as a table, and alternatives to one that is
// taken.
import { object } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import {
  type BookableChoice,
  type BuildingChoice,
  buildingFilter,
  findBookables,
  findUsers,
  floorFilter,
  listFloors,
  showExceptionalStatus,
  tagsFilter,
  typeFilter,
} from '../../pages/search/choices.ts'
import { localTimeOf, type RequestedTime, requestedTimeQuery } from '../../pages/time/requested-time.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatBookableType, splitTags } from '../../pages/ui/bookables.ts'
import { searchForm } from '../../pages/ui/forms.ts'
import { type Column, showLink, showLinkOrText, table } from '../../pages/ui/parts.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { type FreeBookable, freeQuery, listFree, resultLimit, searchByName } from './free-bookables.ts'

export const choosingQuery = { ...requestedTimeQuery, ...freeQuery }

const query = object(choosingQuery)
type Query = typeof query.__outputType

type Choosing = Call<unknown, { user?: number; bookable?: number; person?: string | undefined }>

/** The active person and the bookable that the address names. */
export async function findChosen({ reads, query }: Choosing) {
  const [users, bookables] = await Promise.all([
    findUsers(reads, query.user === undefined ? [] : [query.user]),
    findBookables(reads, query.bookable === undefined ? [] : [query.bookable]),
  ])
  const [user, bookable] = [users[0], bookables[0]]
  return { user: user?.isActive ? user : undefined, bookable: bookable?.isDeleted ? undefined : bookable }
}

export function showChosenBookable(call: Call, bookable: BookableChoice): Content {
  const { id, name, type, location, building } = bookable
  return html`<p class="chosen"><span>${showLinkOrText(call.link(`/places/bookables/${id}`), name)} ${showExceptionalStatus(bookable)}
<span class="soft">${formatBookableType(type)}, ${location}, ${building}</span></span>
${showLink(call.linkHere({ bookable: null }), t`Choose another`)}</p>`
}

/** Asks for a time first, then shows what is free. */
export async function showBookableChoices(
  call: Call<unknown, Query>,
  requested: RequestedTime,
  buildings: BuildingChoice[],
  user: number | undefined,
): Promise<Html> {
  const { building, location, type, tags, place, all } = call.query
  const floors = building === undefined ? [] : await listFloors(call.reads, building)
  const floor = floors.find(({ id }) => id === location)?.id
  const search = { building, location: floor, type, tags: splitTags(tags), user }
  const isNamed = place !== undefined
  const { found, hasMore } = isNamed
    ? await searchByName(call.reads, place, search, requested)
    : await listFree(call.reads, search, requested, resultLimit(all))
  const { from, to } = requested.local
  const hint = t`Time zone: ${formatZone(requested.zone)}`
  const none = isNamed
    ? html`<p>${t`No matches.`}</p>`
    : showEmpty(t`Nothing is free at that time.`, t`Try another time, floor or type.`)
  return html`<div class="search">${searchForm(call, t`Show free`, (fields) => [
    fields.time('from', t`From`, { value: from, hint }),
    fields.time('to', t`Until`, { value: to, hint }),
    buildingFilter(fields, buildings),
    floors.length > 0 && floorFilter(fields, floors),
    typeFilter(fields),
    tagsFilter(fields),
    fields.search('place', t`Name, floor or building`),
  ])}</div>
<h3>${isNamed ? t`Matches` : t`Free at that time`}</h3>
${table(t`Results`, columns(call, requested, isNamed), found, none)}
${hasMore && showMore(isNamed || all ? undefined : call.linkHere({ all: 'true' }))}`
}

function columns(call: Call, requested: RequestedTime, isNamed: boolean): Column<FreeBookable>[] {
  return [
    {
      label: t`Name`,
      show: (each) =>
        html`${each.name} ${showExceptionalStatus(each)} ${!each.isFree && html`<span class="badge bad">${t`taken`}</span>`}`,
    },
    { label: t`Type`, show: ({ type }) => formatBookableType(type) },
    { label: t`Floor`, show: ({ location, building }) => `${location}, ${building}` },
    { label: t`Tags`, show: ({ tags }) => tags.map((tag) => html`<span class="badge">${tag}</span> `) },
    {
      label: t`Choose`,
      isTools: true,
      show(each) {
        const { name } = each
        const [text, label] = isNamed ? [t`Choose`, t`Choose ${name}`] : [t`Book`, t`Book ${name}`]
        return showLinkOrText(addressOf(call, requested, each), text, { 'aria-label': label })
      },
    },
  ]
}

/** `address` is that of the page with more results; undefined if the page cannot show more. */
function showMore(address: string | undefined): Html {
  if (address === undefined)
    return html`<p class="soft">${t`There are more. Choose a floor, a type or tags to narrow them down.`}</p>`
  return html`<p class="soft">${t`There are more.`} ${showLink(address, t`Show more`)}</p>`
}

type TimeRange = Pick<RequestedTime, 'from' | 'to'>

/** The address of this page with the bookable chosen, and the same time in the bookable's time zone. */
function addressOf(call: Call, requested: TimeRange, { id, zone }: FreeBookable): string {
  return call.linkHere({ bookable: id, place: null, all: null, ...localTimeOf(requested, zone) })
}

export function showAlternatives(call: Call, requested: TimeRange, found: FreeBookable[]): Html {
  if (found.length === 0) return html``
  const links = found.map(
    (each) =>
      html`<li>${showLinkOrText(addressOf(call, requested, each), each.name)} <small>${each.location}</small></li>`,
  )
  return showNotice('neutral', t`Free at that time:`, html`<ul class="instead">${links}</ul>`)
}
