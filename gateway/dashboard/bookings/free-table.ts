// What is free, as a table to choose from, and as a short list where what was wanted is not.
import { type Content, type Html, html } from '../../http/html.ts'
import { showExceptionalStatus } from '../search/choosers.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { type Column, table } from '../ui/tables.ts'
import type { FreeBookable } from './free-bookables.ts'

type FreeTable = {
  found: FreeBookable[]
  hasMore: boolean
  /** Where more of them are shown; undefined where these are all that there is room for. */
  more: string | undefined
  /** What each is chosen by. */
  choose(bookable: FreeBookable): Html
  empty: Content
}

export function showFreeTable({ found, hasMore, more, choose, empty }: FreeTable): Html {
  const columns: Column<FreeBookable>[] = [
    {
      label: 'Name',
      isHead: true,
      show: (each) =>
        html`${each.name} ${showExceptionalStatus({ ...each, isDeleted: false })} ${
          !each.isFree && html`<span class="badge bad">taken</span>`
        }`,
    },
    { label: 'Type', show: ({ type }) => formatBookableType(type) },
    { label: 'Location', show: ({ location, building }) => `${location}, ${building}` },
    { label: 'Tags', show: ({ tags }) => tags.map((tag) => html`<span class="badge">${tag}</span> `) },
    { label: 'Choose', isTools: true, show: choose },
  ]
  const shown = columns.filter(({ label }) => label !== 'Tags' || found.some(({ tags }) => tags.length > 0))
  return html`${table('Results', shown, found, empty)}
${hasMore && showMore(more)}`
}

/** Links to what is free instead. */
export function showInstead(found: FreeBookable[], addressOf: (each: FreeBookable) => string): Html {
  if (found.length === 0) return html`<p>Nothing of this type is free at that time in this building.</p>`
  const links = found.map(
    (each) => html`<li><a href="${addressOf(each)}">${each.name}</a> <small>${each.location}</small></li>`,
  )
  return html`<p>Free at that time:</p><ul class="instead">${links}</ul>`
}

/** The link that chooses one. */
export function chooseLink(text: string, address: string, { name }: { name: string }): Html {
  return html`<a href="${address}" aria-label="${text} ${name}">${text}</a>`
}

function showMore(more: string | undefined): Html {
  if (more === undefined)
    return html`<p class="soft">There are more. Choose a floor, a type or tags to narrow them down.</p>`
  return html`<p class="soft">There are more. <a href="${more}">Show more</a></p>`
}
