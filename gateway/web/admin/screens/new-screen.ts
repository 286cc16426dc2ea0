// Sets up a screen: first where it hangs, then what it shows.

import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { currentLanguage, sentence, t } from '../../locales/translate.ts'
import { type Call, page } from '../../pages/page/page.ts'
import {
  CHOICES_MAX,
  findBookables,
  listBuildingChoices,
  searchBookables,
} from '../../pages/search/choices.ts'
import { formCard, searchForm } from '../../pages/ui/forms.ts'
import { card, showLinkOrText } from '../../pages/ui/parts.ts'
import { addressView, createAddress, parseScreenForm, screenForm, showScreenFields } from './screen-form.ts'
import { LIST } from './screens.ts'

type PlaceQuery = {
  bookable?: number | undefined
  building?: number | undefined
  search?: string | undefined
}
type Place = { kind: 'door' | 'lobby'; name: string }

const NO_PLACE = message`Choose first where the screen hangs.`

export const newScreen = page({
  path: `${LIST}/new`,
  title: sentence`New screen`,
  section: 'Places',
  query: object({ bookable: queryId(), building: queryId(), search: text({ max: 255 }) }),
  actions: (action) => ({
    create: action(screenForm, async (call) => {
      const place = await findPlace(call)
      if (!place) throw new Refusal('validation_failed', NO_PLACE)
      const { secret, hash } = createAddress(call)
      const { bookable: bookable_id = null, building: building_id = null } = call.query
      const where = place.kind === 'door' ? { bookable_id } : { building_id }
      await call.dispatch('screens.create', {
        kind: place.kind,
        ...where,
        ...(await parseScreenForm(call)),
        hash,
      })
      return { show: addressView(call, secret, t`Screen set up`) }
    }),
  }),
  async show(call) {
    const breadcrumbs: Array<[string, string]> = [
      [t`Places`, '/places'],
      [t`Screens`, LIST],
    ]
    const place = await findPlace(call)
    if (!place) return { breadcrumbs, content: await showPlaces(call) }
    const isDoor = place.kind === 'door'
    const name = isDoor ? t`Door of ${place.name}` : t`Lobby of ${place.name}`
    const values = { name, names: isDoor ? 'full' : 'none', appearance: 'dark', language: currentLanguage() }
    const options = { action: 'create', submit: t`Set up screen`, cancel: call.link(LIST), values }
    return {
      title: isDoor ? t`Screen at the door of ${place.name}` : t`Screen in the lobby of ${place.name}`,
      breadcrumbs,
      content: formCard(call, options, (fields) => showScreenFields(fields, isDoor)),
    }
  },
})

async function findPlace({ reads, query }: Call<unknown, PlaceQuery>): Promise<Place | undefined> {
  const { bookable, building } = query
  if (bookable !== undefined) {
    const [found] = await findBookables(reads, [bookable])
    return found && !found.isDeleted ? { kind: 'door', name: found.name } : undefined
  }
  const found = (await listBuildingChoices(reads)).find(({ id }) => id === building)
  return found && { kind: 'lobby', name: found.name }
}

async function showPlaces(call: Call<unknown, PlaceQuery>): Promise<Html> {
  const { search } = call.query
  const [found, buildings] = await Promise.all([
    search === undefined ? [] : searchBookables(call.reads, search),
    listBuildingChoices(call.reads),
  ])
  const doors = found
    .slice(0, CHOICES_MAX)
    .map(
      ({ id, name, location, building }) =>
        html`<li>${showLinkOrText(call.linkHere({ bookable: id, search: null }), name)} <span class="soft">${location}, ${building}</span></li>`,
    )
  const lobbies = buildings.map(
    ({ id, name }) => html`<li>${showLinkOrText(call.linkHere({ building: id, search: null }), name)}</li>`,
  )
  return html`${card(
    t`At a door`,
    html`<p>${t`It shows whether the room or desk is free, and lets people book it.`}</p>
${searchForm(call, t`Search`, (fields) => fields.search('search', t`Room or desk`, { required: true }))}
${doors.length > 0 && html`<ul class="rows">${doors}</ul>`}
${search !== undefined && doors.length === 0 && html`<p>${t`Nothing found.`}</p>`}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}`,
  )}
${card(
  t`In a lobby`,
  html`<p>${t`It shows who is in, floor by floor.`}</p>
<ul class="rows">${lobbies}</ul>`,
)}`
}
