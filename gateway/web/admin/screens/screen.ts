// Places: one screen: its state, what it shows, a new address, and switching it off.
import { message } from '../../../../shared/messages/message.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { resource } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { card, showFacts, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { findScreen } from './queries.ts'
import { addressView, createAddress, parseScreenForm, screenForm, showScreenFields } from './screen-form.ts'
import { LIST, showScreenState } from './screens.ts'

const screenPages = resource({
  path: `${LIST}/{id}`,
  section: 'Places',
  missing: message`This screen does not exist.`,
  find: (call) => findScreen(call.reads, call.params.id),
  above: () => [
    [t`Places`, '/places'],
    [t`Screens`, LIST],
  ],
  nameOf: ({ name }) => name,
})

export const screen = screenPages.page({
  title: sentence`Screen`,
  actions: (action) => ({
    save: action(screenForm, async (call) => {
      await call.dispatch('screens.update', { id: call.params.id, ...(await parseScreenForm(call)) })
      return { redirectTo: call.linkHere(), notice: t`Changes saved. The screen shows them within seconds.` }
    }),
    'renew-address': action(object({}), async (call) => {
      const { secret, hash } = createAddress(call)
      await call.dispatch('screens.renew-address', { id: call.params.id, hash })
      return { show: addressView(call, secret, t`New address`) }
    }),
  }),
  show(call, found) {
    const { id, name, kind, place, around, bookableId, buildingId, createdAt, revokedAt } = found
    const at = bookableId === null ? `/places/buildings/${buildingId}` : `/places/bookables/${bookableId}`
    const facts = showFacts([
      [kind === 'door' ? t`Door of` : t`Lobby of`, showLinkOrText(call.link(at), place)],
      [t`Where`, around],
      [t`Set up`, showRelativeInstant(createdAt, call.now)],
      [t`Switched off`, revokedAt && showRelativeInstant(revokedAt, call.now)],
    ])
    const state = card(t`State`, html`<p>${showScreenState(call, found)}</p>${facts}`, 'state')
    if (revokedAt !== null) return { title: name, content: state }
    const values = { ...found, person: found.bookingEmail }
    const options = { action: 'save', submit: t`Save changes`, values }
    return {
      title: name,
      content: html`<div class="columns">${card(
        t`What it shows`,
        form(call, options, (fields) => showScreenFields(fields, kind === 'door')),
        'shows',
      )}
<div>${state}
${card(
  t`Address`,
  html`<p>${t`If somebody knows the address who should not, give the screen a new one. The current address then stops working.`}</p>
${form(call, { action: 'renew-address', submit: t`New address`, tone: 'quiet' })}`,
  'address',
)}
${card(t`Switch off`, html`<p>${t`The screen then says that it has been switched off.`} ${showLink(call.link(`${LIST}/${id}/revoke`), t`Switch off`)}</p>`, 'switch-off')}</div></div>`,
    }
  },
})

export const revokeScreen = screenPages.form({
  path: '/revoke',
  title: sentence`Switch off screen`,
  action: 'revoke',
  submit: sentence`Switch off`,
  tone: 'danger',
  heading: ({ name }) => t`Switch off “${name}”?`,
  intro: () => t`Its address stops working. To use the tablet again, set up a new screen.`,
  async act(call) {
    await call.dispatch('screens.revoke', { id: call.params.id })
    return { redirectTo: call.link(LIST), notice: t`Screen switched off.` }
  },
})
