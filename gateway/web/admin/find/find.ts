// The Find page: one search for people, desks and rooms, places, bookings by number, and pages. With scripts, a
// dialog on every page shows the same results as suggestions.
import { object, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { mayOpen } from '../../pages/page/roles.ts'
import { CHOICES_MAX } from '../../pages/search/choices.ts'
import { searchForm } from '../../pages/ui/forms.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { type Group, type Hit, search } from './search.ts'

const SUGGESTED_MAX = 5

type FindCall = Call<unknown, { q?: string | undefined }>

export const find = page({
  path: '/find',
  title: sentence`Find`,
  readers: 'reader',
  query: object({ q: text({ max: 255 }) }),
  // The dialog requests this while the user types.
  live: { suggestions: { everySeconds: 60, show: showSuggestions } },
  async show(call) {
    const { q } = call.query
    const groups = q === undefined ? [] : await search(call, q)
    const [only, ...others] = groups.flatMap(({ hits }) => hits)
    if (only && others.length === 0) return { redirectTo: only.address }
    return {
      lead: t`People, desks and rooms, places, a booking by its number, and pages.`,
      content: html`<div class="card search">${searchForm(call, t`Find`, (fields) =>
        fields.search('q', t`Name or number`, { required: true, autofocus: true }),
      )}</div>
${q !== undefined && !only && showEmpty(t`Nothing found.`, t`Try fewer or shorter words.`)}
${groups.map(showGroup)}`,
    }
  },
})

function showGroup({ label, hits }: Group): Html {
  const items = hits
    .slice(0, CHOICES_MAX)
    .map(
      ({ address, name, more, map }) =>
        html`<li>${showLinkOrText(address, name)}${more !== undefined && html` <span class="soft">${more} ${showMap(map)}</span>`}</li>`,
    )
  return html`<section class="card" aria-label="${label}"><h2>${label}</h2><ul class="rows">${items}</ul>
${hits.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</section>`
}

const showMap = (map: Hit['map']): Content =>
  map && showLink(map.address, t`Map`, { 'aria-label': map.label })

/** Options for a combobox: only what the viewer may open, as each leads to a page. */
async function showSuggestions(call: FindCall): Promise<Html> {
  const { q } = call.query
  const groups = q === undefined ? [] : await search(call, q)
  const shown = groups
    .map(({ label, hits }) => ({ label, hits: hits.filter(({ address }) => mayOpen(address)) }))
    .filter(({ hits }) => hits.length > 0)
  if (shown.length === 0) return html`<li role="option" aria-disabled="true">${t`Nothing found.`}</li>`
  const hasMore = shown.some(({ hits }) => hits.length > SUGGESTED_MAX)
  return html`${shown.map(
    ({ label, hits }, group) =>
      html`<li role="group" aria-label="${label}"><span aria-hidden="true">${label}</span>${hits
        .slice(0, SUGGESTED_MAX)
        .map((hit, index) => option(`found-${group}-${index}`, hit))}</li>`,
  )}
${hasMore && option('found-all', { address: call.link('/find', { q }), name: t`Show all results` }, 'li')}`
}

const option = (id: string, { address, name, more }: Hit, tag: 'div' | 'li' = 'div'): Html => {
  const content = html`${name}${more !== undefined && html` <small>${more}</small>`}`
  return tag === 'li'
    ? html`<li role="option" id="${id}" data-address="${address}">${content}</li>`
    : html`<div role="option" id="${id}" data-address="${address}">${content}</div>`
}
