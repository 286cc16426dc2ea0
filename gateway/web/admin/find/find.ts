// The Find page: one search for people, desks and rooms, places, bookings by number, and pages. With scripts, a
// dialog on every page shows the same results as suggestions.
import { object, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { canOpen } from '../../pages/page/roles.ts'
import { CHOICES_MAX } from '../../pages/search/choices.ts'
import { showNamedPeopleSuggestions } from '../../pages/search/named-people.ts'
import { showSearchForm } from '../../pages/ui/forms.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { type SearchHit, type SearchHitGroup, searchDashboard } from './search.ts'

const SUGGESTIONS_MAX = 5

type FindCall = Call<unknown, { q?: string | undefined }>

export const searchPage = definePage({
  path: '/find',
  title: sentence`Find`,
  readers: 'reader',
  query: object({ q: text({ max: 255 }) }),
  // The parts of the page that the dialog, and fields that name people, request while the user types.
  live: {
    suggestions: { everySeconds: 60, show: showSuggestions },
    people: { everySeconds: 60, show: ({ reads, query }) => showNamedPeopleSuggestions(reads, query.q) },
  },
  async show(call) {
    const { q } = call.query
    const groups = q === undefined ? [] : await searchDashboard(call, q)
    const [only, ...others] = groups.flatMap(({ hits }) => hits)
    if (only && others.length === 0) return { redirectTo: only.address }
    return {
      lead: t`Search for people, desks and rooms, places, pages, or a booking by its number.`,
      content: html`<div class="card search">${showSearchForm(call, t`Find`, (fields) =>
        fields.search('q', t`Name or number`, { required: true, autofocus: true }),
      )}</div>
${q !== undefined && !only && showEmptyState(t`Nothing found.`, t`Try fewer or shorter words.`)}
${groups.map(showGroup)}`,
    }
  },
})

function showGroup({ label, hits }: SearchHitGroup): Html {
  const items = hits
    .slice(0, CHOICES_MAX)
    .map(
      ({ address, name, more, map }) =>
        html`<li>${showLinkOrText(address, name)}${more !== undefined && html` <span class="soft">${more} ${showMapLink(map)}</span>`}</li>`,
    )
  return html`<section class="card" aria-label="${label}"><h2>${label}</h2><ul class="rows">${items}</ul>
${hits.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</section>`
}

const showMapLink = (map: SearchHit['map']): Content =>
  map && showLink(map.address, t`Map`, { 'aria-label': map.label })

/** Returns options for a combobox. Includes only results that the viewer may open, because each option leads
 * to a page. */
async function showSuggestions(call: FindCall): Promise<Html> {
  const { q } = call.query
  const groups = q === undefined ? [] : await searchDashboard(call, q)
  const shown = groups
    .map(({ label, hits }) => ({ label, hits: hits.filter(({ address }) => canOpen(address)) }))
    .filter(({ hits }) => hits.length > 0)
  if (shown.length === 0) return html`<li role="option" aria-disabled="true">${t`Nothing found.`}</li>`
  const hasMore = shown.some(({ hits }) => hits.length > SUGGESTIONS_MAX)
  return html`${shown.map(
    ({ label, hits }, group) =>
      html`<li role="group" aria-label="${label}"><span aria-hidden="true">${label}</span>${hits
        .slice(0, SUGGESTIONS_MAX)
        .map((hit, index) => showOption(`found-${group}-${index}`, hit))}</li>`,
  )}
${hasMore && showOption('found-all', { address: call.link('/find', { q }), name: t`Show all results` }, 'li')}`
}

const showOption = (id: string, { address, name, more }: SearchHit, tag: 'div' | 'li' = 'div'): Html => {
  const content = html`${name}${more !== undefined && html` <small>${more}</small>`}`
  return tag === 'li'
    ? html`<li role="option" id="${id}" data-address="${address}">${content}</li>`
    : html`<div role="option" id="${id}" data-address="${address}">${content}</div>`
}
