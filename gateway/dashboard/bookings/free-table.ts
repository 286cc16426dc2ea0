// Shows free bookables: as a table to choose from, and as a short list of alternatives to one that is taken.
import { type Content, type Html, html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import { showExceptionalStatus } from '../search/choosers.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import type { FreeBookable } from './free-bookables.ts'

type FreeTable = {
  found: FreeBookable[]
  hasMore: boolean
  /** The address of the page with more results; undefined if the page cannot show more. */
  more: string | undefined
  /** Renders the link that chooses the bookable. */
  choose(bookable: FreeBookable): Html
  empty: Content
}

export function showFreeTable({ found, hasMore, more, choose, empty }: FreeTable): Html {
  const columns: Column<FreeBookable>[] = [
    {
      label: t`Name`,
      isHead: true,
      show: (each) =>
        html`${each.name} ${showExceptionalStatus({ ...each, isDeleted: false })} ${!each.isFree && html`<span class="badge bad">${t`taken`}</span>`}`,
    },
    { label: t`Type`, show: ({ type }) => formatBookableType(type) },
    { label: t`Location`, show: ({ location, building }) => `${location}, ${building}` },
    { label: t`Tags`, show: ({ tags }) => tags.map((tag) => html`<span class="badge">${tag}</span> `) },
    { label: t`Choose`, isTools: true, show: choose },
  ]
  return html`${table(t`Results`, columns, found, empty)}
${hasMore && showMore(more)}`
}

/** Links to free alternatives. */
export function showAlternatives(found: FreeBookable[], addressOf: (each: FreeBookable) => string): Html {
  if (found.length === 0)
    return html`<p>${t`Nothing of this type is free at that time in this building.`}</p>`
  const links = found.map(
    (each) => html`<li>${showLinkOrText(addressOf(each), each.name)} <small>${each.location}</small></li>`,
  )
  return html`<p>${t`Free at that time:`}</p><ul class="instead">${links}</ul>`
}

function showMore(more: string | undefined): Html {
  if (more === undefined)
    return html`<p class="soft">${t`There are more. Choose a floor, a type or tags to narrow them down.`}</p>`
  return html`<p class="soft">${t`There are more.`} ${showLink(more, t`Show more`)}</p>`
}
