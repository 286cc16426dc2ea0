// Settings: creating a token. The answer shows its secret, which is not stored. The secret is derived from
// the session's secret and the form's id, so that a double click, or reloading the answer, creates and shows
// the same token.

import { message } from '../../../shared/messages/message.ts'
import {
  choice,
  integer,
  list,
  object,
  queryId,
  queryNumber,
  required,
  text,
} from '../../../shared/schemas/fields.ts'
import { isNetwork, NETWORKS_MAX } from '../../../shared/tokens/networks.ts'
import {
  ABILITIES,
  type Ability,
  BUILDINGS_MAX,
  deriveToken,
  hashToken,
} from '../../../shared/tokens/token-store.ts'
import { addDays } from '../../../shared/utilities/date-times.ts'
import { html } from '../../http/html.ts'
import { type Call, page, type View } from '../kit/page.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../locales/translate.ts'
import { listBuildingChoices } from '../search/choices.ts'
import { form } from '../ui/forms.ts'
import { showSecret } from './secrets.ts'

const EXPLANATIONS: Record<Ability, Sentence> = {
  read: sentence`See everything: people, places, bookings and events.`,
  'user-write': sentence`Import and export people.`,
  'webhook-write': sentence`See webhooks and calendar addresses. With “read”, create and change them: they show bookings and people.`,
  'object-write': sentence`Rename, block and tag desks, rooms and parking spots.`,
  'booking-write': sentence`Create, change and delete bookings and events.`,
}

const DAYS = ['never', '30', '90', '365'] as const
const expiries = () => [
  { value: 'never', label: t`Never` },
  { value: '30', label: t`In 30 days` },
  { value: '90', label: t`In 90 days` },
  { value: '365', label: t`In a year` },
]

const tokenForm = object({
  name: required(text({ max: 255, min: 1 })),
  abilities: required(
    list(required(choice(ABILITIES, (name) => message`${name} is not an ability.`)), {
      max: ABILITIES.length,
    }),
  ).test(
    'some',
    () => message`Choose at least one.`,
    (value) => value === undefined || value.length > 0,
  ),
  expires: required(choice(DAYS, (name) => message`${name} must be one of the choices.`)),
  limit: queryNumber(integer({ min: 1, max: 2_147_483_647 })),
  buildings: list(required(queryId()), { max: BUILDINGS_MAX }),
  addresses: text({ max: 2_000 }).test(
    'networks',
    () => message`Write addresses or networks such as 192.0.2.0/24, separated by commas.`,
    (value) => {
      const networks = readNetworks(value)
      return networks.length <= NETWORKS_MAX && networks.every(isNetwork)
    },
  ),
})

const readNetworks = (value = '') => value.split(/[\s,]+/).filter(Boolean)

const breadcrumbs = (): View['breadcrumbs'] => [[t`Settings`, '/settings']]

export const newToken = page({
  path: '/settings/tokens/new',
  title: sentence`New token`,
  section: 'Settings',
  actions: (action) => ({
    create: action(tokenForm, async (call) => {
      const token = deriveToken(call.deriveSecret('token'))
      const { name, abilities, expires, limit, buildings = [], addresses } = call.form
      const networks = readNetworks(addresses)
      await call.dispatch('tokens.create', {
        name,
        abilities,
        hash: hashToken(token).toString('hex'),
        expires_at: expires === 'never' ? null : addDays(call.now, Number(expires)),
        rate_limit_per_minute: limit ?? null,
        addresses: networks.length > 0 ? networks : undefined,
        building_ids: buildings.length > 0 ? buildings : undefined,
      })
      return { show: createdView(call, name, token, abilities) }
    }),
  }),
  async show(call) {
    const buildings = await listBuildingChoices(call.reads)
    return {
      breadcrumbs: breadcrumbs(),
      content: html`<div class="card narrow">${form(
        call,
        { action: 'create', submit: t`Create token`, cancel: call.link('/settings') },
        (fields) => [
          fields.text({
            name: 'name',
            label: t`Name`,
            hint: t`What will use it, such as “Lobby display”.`,
            required: true,
            maxlength: 255,
            autofocus: true,
          }),
          fields.checkboxes({
            name: 'abilities',
            label: t`Abilities`,
            hint: t`Abilities do not include each other.`,
            options: ABILITIES.map((value) => ({
              value,
              label: value,
              hint: translate(EXPLANATIONS[value]),
            })),
            values: ['read'],
          }),
          fields.select({
            name: 'expires',
            label: t`Expires`,
            options: expiries(),
            value: 'never',
            required: true,
          }),
          fields.text({
            name: 'limit',
            label: t`Requests per minute`,
            type: 'number',
            min: 1,
            hint: t`${call.services.config.rateLimitPerMinute} unless you say otherwise.`,
          }),
          buildings.length > 0 &&
            fields.checkboxes({
              name: 'buildings',
              label: t`Buildings`,
              hint: t`Limits the token to these buildings. People are not limited. Leave empty for all buildings.`,
              options: buildings.map(({ id, name }) => ({ value: id, label: name })),
            }),
          fields.text({
            name: 'addresses',
            label: t`Addresses`,
            hint: t`Networks it may be used from, separated by commas, such as 192.0.2.0/24. Leave empty for any.`,
            maxlength: 2_000,
          }),
        ],
      )}</div>`,
    }
  },
})

function createdView(call: Call, name: string, token: string, abilities: readonly Ability[]): View {
  const line = `curl -H 'Authorization: Bearer ${token}' ${call.baseUrl}/api/v1/groups`
  return {
    breadcrumbs: breadcrumbs(),
    title: t`Token created`,
    lead: tHtml`${html`<strong>${name}</strong>`} is ready to use.`,
    content: showSecret(
      call,
      token,
      abilities.includes('read') &&
        html`<p>${t`Try it:`}</p>
<div class="copied"><code id="line">${line}</code><button type="button" class="button quiet" data-copy="line" aria-label="${t`Copy the command`}" hidden>${t`Copy`}</button></div>`,
    ),
  }
}
