// Sets up a screen: asks first where the screen hangs, and then what it shows.

import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { currentLanguage, sentence, t } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import {
  CHOICES_MAX,
  findBookables,
  listBuildingChoices,
  searchBookables,
} from '../../pages/search/choices.ts'
import { showFormCard, showSearchForm } from '../../pages/ui/forms.ts'
import { showCard, showLinkOrText } from '../../pages/ui/parts.ts'
import {
  createScreenAddress,
  parseScreenForm,
  screenForm,
  showAddressOnce,
  showScreenFields,
} from './screen-form.ts'
import { SCREENS_PATH } from './screens.ts'

type PlaceQuery = {
  bookable?: number | undefined
  building?: number | undefined
  search?: string | undefined
}
type ScreenPlace = { kind: 'door' | 'lobby'; name: string }

const NO_PLACE_CHOSEN = message`First choose where the screen hangs.`

export const newScreenPage = definePage({
  path: `${SCREENS_PATH}/new`,
  title: sentence`New screen`,
  section: 'Places',
  query: object({ bookable: queryId(), building: queryId(), search: text({ max: 255 }) }),
  actions: (action) => ({
    create: action(screenForm, async (call) => {
      const place = await findPlace(call)
      if (!place) throw new Refusal('validation_failed', NO_PLACE_CHOSEN)
      const { secret, hash } = createScreenAddress(call)
      const { bookable: bookable_id = null, building: building_id = null } = call.query
      const where = place.kind === 'door' ? { bookable_id } : { building_id }
      await call.dispatch('screens.create', {
        kind: place.kind,
        ...where,
        ...(await parseScreenForm(call)),
        hash,
      })
      return { show: showAddressOnce(call, secret, t`Screen set up`) }
    }),
  }),
  async show(call) {
    const breadcrumbs: Array<[string, string]> = [
      [t`Places`, '/places'],
      [t`Screens`, SCREENS_PATH],
    ]
    const place = await findPlace(call)
    if (!place) return { breadcrumbs, content: await showPlaces(call) }
    const isDoor = place.kind === 'door'
    const name = isDoor ? t`Door of ${place.name}` : t`Lobby of ${place.name}`
    const values = { name, names: isDoor ? 'full' : 'none', appearance: 'dark', language: currentLanguage() }
    const options = { action: 'create', submit: t`Set up screen`, cancel: call.link(SCREENS_PATH), values }
    return {
      title: isDoor ? t`Screen at the door of ${place.name}` : t`Screen in the lobby of ${place.name}`,
      breadcrumbs,
      content: showFormCard(call, options, (fields) => showScreenFields(fields, isDoor)),
    }
  },
})

async function findPlace({ reads, query }: Call<unknown, PlaceQuery>): Promise<ScreenPlace | undefined> {
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
  return html`${showCard(
    t`At a door`,
    html`<p>${t`The screen shows whether the room or desk is free, and lets people book it.`}</p>
${showSearchForm(call, t`Search`, (fields) => fields.search('search', t`Room or desk`, { required: true }))}
${doors.length > 0 && html`<ul class="rows">${doors}</ul>`}
${search !== undefined && doors.length === 0 && html`<p>${t`Nothing found.`}</p>`}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}`,
  )}
${showCard(
  t`In a lobby`,
  html`<p>${t`The screen shows who is in on each floor.`}</p>
<ul class="rows">${lobbies}</ul>`,
)}`
}
