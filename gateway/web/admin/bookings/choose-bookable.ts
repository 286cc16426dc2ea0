// Lets a user choose a desk, room or parking spot. Shows a table of what is free at a time, and alternatives
// to a bookable that is taken.
import { object } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import {
  type BookableChoice,
  type BuildingChoice,
  findBookables,
  findUsers,
  listFloors,
  showBuildingFilter,
  showExceptionalStatus,
  showFloorFilter,
  showTagsFilter,
  showTypeFilter,
} from '../../pages/search/choices.ts'
import { type RequestedTime, requestedTimeQuery, toLocalTimeRange } from '../../pages/time/requested-time.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatBookableType, splitTags } from '../../pages/ui/bookables.ts'
import { showSearchForm } from '../../pages/ui/forms.ts'
import { type Column, showLink, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import {
  chooseShownMax,
  type FreeBookable,
  findLentUntil,
  freeBookablesQuery,
  listFreeBookables,
  searchByName,
} from './free-bookables.ts'

export const bookableChoiceQuery = { ...requestedTimeQuery, ...freeBookablesQuery }

const query = object(bookableChoiceQuery)
type BookableChoiceQuery = typeof query.__outputType

type BookableChoiceCall = Call<unknown, { user?: number; bookable?: number; person?: string | undefined }>

/** Finds the active person and the bookable that are named in the page's address. */
export async function findUserAndBookable({ reads, query }: BookableChoiceCall) {
  const [users, bookables] = await Promise.all([
    findUsers(reads, query.user === undefined ? [] : [query.user]),
    findBookables(reads, query.bookable === undefined ? [] : [query.bookable]),
  ])
  const [user, bookable] = [users[0], bookables[0]]
  return { user: user?.isActive ? user : undefined, bookable: bookable?.isDeleted ? undefined : bookable }
}

/** Shows the chosen bookable, and whether it is lent at the requested time. */
export async function showChosenBookable(
  call: Call,
  bookable: BookableChoice,
  { from }: Pick<RequestedTime, 'from'>,
): Promise<Content> {
  const { id, name, type, location, building } = bookable
  const lentUntil = await findLentUntil(call.reads, id, from)
  return html`<p class="chosen"><span>${showLinkOrText(call.link(`/places/bookables/${id}`), name)} ${showExceptionalStatus({ ...bookable, lentUntil })}
<span class="soft">${formatBookableType(type)}, ${location}, ${building}</span></span>
${showLink(call.linkHere({ bookable: null }), t`Choose another`)}</p>`
}

/** Asks for a time first, and then shows what is free at that time. */
export async function showBookableChoices(
  call: Call<unknown, BookableChoiceQuery>,
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
    : await listFreeBookables(call.reads, search, requested, chooseShownMax(all))
  const { from, to } = requested.local
  const hint = t`Time zone: ${formatZone(requested.zone)}`
  const none = isNamed
    ? html`<p>${t`No matches.`}</p>`
    : showEmptyState(t`Nothing is free at that time.`, t`Try another time, floor or type.`)
  return html`<div class="search">${showSearchForm(call, t`Show free`, (fields) => [
    fields.time('from', t`From`, { value: from, hint }),
    fields.time('to', t`Until`, { value: to, hint }),
    showBuildingFilter(fields, buildings),
    floors.length > 0 && showFloorFilter(fields, floors),
    showTypeFilter(fields),
    showTagsFilter(fields),
    fields.search('place', t`Name, floor or building`),
  ])}</div>
<h3>${isNamed ? t`Matches` : t`Free at that time`}</h3>
${showTable(t`Results`, createColumns(call, requested, isNamed), found, none)}
${hasMore && showMore(isNamed || all ? undefined : call.linkHere({ all: 'true' }))}`
}

function createColumns(call: Call, requested: RequestedTime, isNamed: boolean): Column<FreeBookable>[] {
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
        return showLinkOrText(formatAddress(call, requested, each), text, { 'aria-label': label })
      },
    },
  ]
}

/** Links to more results. `address` is the page that shows them; undefined if the page cannot show more. */
function showMore(address: string | undefined): Html {
  if (address === undefined)
    return html`<p class="soft">${t`There are more. Choose a floor, a type or tags to narrow them down.`}</p>`
  return html`<p class="soft">${t`There are more.`} ${showLink(address, t`Show more`)}</p>`
}

type TimeRange = Pick<RequestedTime, 'from' | 'to'>

/** Returns the address of this page with the bookable chosen, and the same time in the bookable's time zone. */
function formatAddress(call: Call, requested: TimeRange, { id, zone }: FreeBookable): string {
  return call.linkHere({ bookable: id, place: null, all: null, ...toLocalTimeRange(requested, zone) })
}

export function showAlternatives(call: Call, requested: TimeRange, found: FreeBookable[]): Html {
  if (found.length === 0) return html``
  const links = found.map(
    (each) =>
      html`<li>${showLinkOrText(formatAddress(call, requested, each), each.name)} <small>${each.location}</small></li>`,
  )
  return showNotice('neutral', t`Free at that time:`, html`<ul class="instead">${links}</ul>`)
}
