// The page of one screen: its state, what it shows, a form for a new address, and a form that switches the
// screen off.
import { message } from '../../../../shared/messages/message.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { formatNamedPerson } from '../../pages/search/named-people.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showCard, showFactList, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { findScreen } from './queries.ts'
import {
  createScreenAddress,
  parseScreenForm,
  screenForm,
  showAddressOnce,
  showScreenFields,
} from './screen-form.ts'
import { SCREENS_PATH, showScreenState } from './screens.ts'

const screenPages = defineResourcePages({
  path: `${SCREENS_PATH}/{id}`,
  section: 'Places',
  missing: message`This screen does not exist.`,
  find: (call) => findScreen(call.reads, call.params.id),
  above: () => [
    [t`Places`, '/places'],
    [t`Screens`, SCREENS_PATH],
  ],
  nameOf: ({ name }) => name,
})

export const screenPage = screenPages.page({
  title: sentence`Screen`,
  actions: (action) => ({
    save: action(screenForm, async (call) => {
      await call.dispatch('screens.update', { id: call.params.id, ...(await parseScreenForm(call)) })
      return { redirectTo: call.linkHere(), notice: t`Changes saved. The screen shows them within seconds.` }
    }),
    'renew-address': action(object({}), async (call) => {
      const { secret, hash } = createScreenAddress(call)
      await call.dispatch('screens.renew-address', { id: call.params.id, hash })
      return { show: showAddressOnce(call, secret, t`New address`) }
    }),
  }),
  show(call, found) {
    const { id, name, kind, place, around, bookableId, buildingId, createdAt, revokedAt } = found
    const at = bookableId === null ? `/places/buildings/${buildingId}` : `/places/bookables/${bookableId}`
    const facts = showFactList([
      [kind === 'door' ? t`Door of` : t`Lobby of`, showLinkOrText(call.link(at), place)],
      [t`Where`, around],
      [t`Set up`, showRelativeInstant(createdAt, call.now)],
      [t`Switched off`, revokedAt && showRelativeInstant(revokedAt, call.now)],
    ])
    const state = showCard(t`State`, html`<p>${showScreenState(call, found)}</p>${facts}`, 'state')
    if (revokedAt !== null) return { title: name, content: state }
    const { bookingName, bookingEmail } = found
    const person =
      bookingName !== null && bookingEmail !== null
        ? formatNamedPerson({ name: bookingName, email: bookingEmail })
        : null
    const values = { ...found, person }
    const options = { action: 'save', submit: t`Save changes`, values }
    return {
      title: name,
      tools: showMoreMenu([
        showLink(call.link(`${SCREENS_PATH}/${id}/revoke`), t`Switch off`, { class: 'danger' }),
      ]),
      content: html`<div class="columns">${showCard(
        t`What it shows`,
        form(call, options, (fields) => showScreenFields(fields, kind === 'door')),
        'shows',
      )}
<div>${state}
${showCard(
  t`Address`,
  html`<p>${t`If the wrong person knows the address, give the screen a new one. The current address then stops working.`}</p>
${form(call, { action: 'renew-address', submit: t`New address`, tone: 'quiet' })}`,
  'address',
)}</div></div>`,
    }
  },
})

export const revokeScreenPage = screenPages.form({
  path: '/revoke',
  title: sentence`Switch off screen`,
  action: 'revoke',
  submit: sentence`Switch off`,
  tone: 'danger',
  heading: ({ name }) => t`Switch off “${name}”?`,
  intro: () => t`The screen’s address stops working. To use the tablet again, set up a new screen.`,
  async act(call) {
    await call.dispatch('screens.revoke', { id: call.params.id })
    return { redirectTo: call.link(SCREENS_PATH), notice: t`Screen switched off.` }
  },
})
