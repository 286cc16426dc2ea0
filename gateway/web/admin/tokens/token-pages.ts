// Integrations: creating a token, giving it a new secret, and revoking it. Only the answer shows a secret. It is
// derived from the session's secret and the form's id, so that a double click, or reloading the answer,
// creates and shows the same one.

import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import {
  choice,
  integer,
  list,
  object,
  queryId,
  queryNumber,
  required,
  text,
} from '../../../../shared/schemas/fields.ts'
import {
  ABILITIES,
  type Ability,
  BUILDINGS_MAX,
  deriveToken,
  hashToken,
  prefixOf,
} from '../../../../shared/tokens/token-store.ts'
import { NETWORKS_MAX } from '../../../../shared/tokens/tokens.ts'
import { addDays } from '../../../../shared/utilities/date-times.ts'
import { isNetwork } from '../../../../shared/utilities/private-networks.ts'
import { type Content, html } from '../../../html/html.ts'
import { findRow } from '../../../reads/rows/rows.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { ActionCall, Breadcrumbs, Call, View } from '../../pages/page/page.ts'
import { typedEmail } from '../../pages/page/typed-email.ts'
import { listBuildingChoices } from '../../pages/search/choices.ts'
import { formPage, resource } from '../../pages/ui/declared-pages.ts'
import { choices } from '../../pages/ui/fields.ts'
import { copyable, secretCard } from '../../pages/ui/parts.ts'
import { findToken, requireValidToken } from './token-list.ts'

export const ABILITY_SENTENCES: Record<Ability, Sentence> = {
  read: sentence`See people, places, bookings and meetings.`,
  'user-write': sentence`Create, change, import and export people.`,
  'webhook-write': sentence`See webhooks and calendar addresses, and change them if the token may also see bookings and people, because they show these.`,
  'object-write': sentence`Create, change and delete buildings, floors, desks, rooms and parking spots, and set rules.`,
  'booking-write': sentence`Create, change and delete bookings and meetings.`,
}

/** In days. */
const EXPIRIES = choices(
  ['never', sentence`Never`],
  ['30', sentence`In 30 days`],
  ['90', sentence`In 90 days`],
  ['365', sentence`In a year`],
)

/** In hours. */
const OVERLAPS = choices(
  ['0', sentence`Not at all`],
  ['1', sentence`An hour`],
  ['24', sentence`A day`],
  ['168', sentence`A week`],
)
const PREVIOUS_SECRET = {
  0: sentence`The previous secret no longer works.`,
  1: sentence`The previous secret works for another hour.`,
  24: sentence`The previous secret works for another day.`,
  168: sentence`The previous secret works for another week.`,
}

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
  person: typedEmail(),
  expires: required(EXPIRIES.rule()),
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

const LIST = '/integrations/tokens'

const breadcrumbs = (): Breadcrumbs => [
  [t`Integrations`, '/integrations'],
  [t`Tokens`, LIST],
]

export const newToken = formPage({
  path: `${LIST}/new`,
  title: sentence`New token`,
  section: 'Integrations',
  find: (call) => listBuildingChoices(call.reads),
  breadcrumbs,
  action: 'create',
  submit: sentence`Create token`,
  form: tokenForm,
  fields: (fields, buildings, call) => [
    fields.text('name', t`Name`, {
      hint: t`The program that will use it, such as “Lobby display”.`,
      autofocus: true,
    }),
    fields.text('person', t`For a person`, {
      type: 'email',
      hint: t`The e-mail of the person who owns the token. The token can view and change only that person’s own data, and it must expire. Leave empty for a token without an owner.`,
    }),
    fields.checkboxes('abilities', t`What it may do`, {
      hint: t`Each permission allows only what it says: changing bookings, for example, does not include seeing people.`,
      options: ABILITIES.map((value) => ({
        value,
        label: translate(ABILITY_SENTENCES[value]),
        hint: value,
      })),
      values: ['read'],
    }),
    fields.select('expires', t`Expires`, { options: EXPIRIES.options(), value: '365' }),
    fields.text('limit', t`Requests per minute`, {
      type: 'number',
      min: 1,
      hint: t`${call.services.config.rateLimitPerMinute} if you leave it empty.`,
    }),
    buildings.length > 0 &&
      fields.checkboxes('buildings', t`Buildings`, {
        hint: t`The token sees and changes only what is in these buildings, but all people. Without a choice, it may use all buildings.`,
        options: buildings.map(({ id, name }) => ({ value: id, label: name })),
      }),
    fields.text('addresses', t`Addresses`, {
      hint: t`Networks it may be used from, separated by commas, such as 192.0.2.0/24. Leave empty for any.`,
    }),
  ],
  async act(call) {
    const { name, abilities, person, expires, limit, buildings = [], addresses } = call.form
    const userId = person === undefined ? undefined : await requirePerson(call.reads, person)
    if (userId !== undefined && expires === 'never')
      throw invalid({ expires: [message`A personal token must expire.`] })
    const { token, hash } = deriveSecret(call, userId)
    const networks = readNetworks(addresses)
    await call.dispatch('tokens.create', {
      name,
      abilities,
      hash,
      expires_at: expires === 'never' ? null : addDays(call.now, Number(expires)),
      rate_limit_per_minute: limit ?? null,
      addresses: networks.length > 0 ? networks : undefined,
      building_ids: buildings.length > 0 ? buildings : undefined,
      user_id: userId,
    })
    const line = `curl -H 'Authorization: Bearer ${token}' ${call.baseUrl}/api/v1/${userId === undefined ? 'groups' : 'me'}`
    const example = html`<p>${t`Try it:`}</p>
${copyable('line', line, t`Copy the command`)}`
    return {
      show: {
        title: t`Token created`,
        lead: tHtml`${html`<strong>${name}</strong>`} is ready to use.`,
        ...secretView(call, token, abilities.includes('read') && example),
      },
    }
  },
})

export const tokens = resource({
  path: `${LIST}/{id}`,
  section: 'Integrations',
  missing: message`This token does not exist.`,
  find: (call) => findToken(call.reads, call.params.id),
  above: breadcrumbs,
})

export const revokeToken = tokens.form({
  path: '/revoke',
  title: sentence`Revoke token`,
  action: 'revoke',
  tone: 'danger',
  heading: ({ name }) => t`Revoke “${name}”?`,
  intro: () =>
    t`Programs that use it lose access within a second. This cannot be undone. Their changes stay.`,
  async act(call) {
    await call.dispatch('tokens.revoke', { id: call.params.id })
    return { redirectTo: call.link(LIST), notice: t`Token revoked.` }
  },
})

export const rotateToken = tokens.form({
  path: '/rotate',
  title: sentence`New secret`,
  find: (call) => requireValidToken(call.reads, call.params.id),
  action: 'rotate',
  submit: sentence`Create secret`,
  form: object({ overlap: required(OVERLAPS.rule()) }),
  heading: ({ name }) => t`New secret for “${name}”`,
  intro: () =>
    t`The token may do the same as before. Give the new secret to each program that uses it while the current one still works.`,
  fields: (fields) =>
    fields.select('overlap', t`Keep the current secret valid for`, {
      options: OVERLAPS.options(),
      value: 24,
    }),
  async act(call) {
    const { userId } = await requireValidToken(call.reads, call.params.id)
    const { token, hash } = deriveSecret(call, userId)
    const { overlap } = call.form
    await call.dispatch('tokens.rotate', {
      id: call.params.id,
      hash,
      overlap_seconds: Number(overlap) * 3_600,
    })
    const lead = translate(PREVIOUS_SECRET[overlap])
    return { show: { title: t`Secret created`, lead, ...secretView(call, token) } }
  },
})

export async function requirePerson(reads: pg.Pool, email: string): Promise<number> {
  const active = 'SELECT id FROM users WHERE lower(email) = lower($1) AND deactivated_at IS NULL'
  const user = await findRow<{ id: number }>(reads, active, [email])
  if (user) return user.id
  throw invalid({ person: [message`There is no active person with this e-mail.`] })
}

function deriveSecret(call: ActionCall, userId: number | null | undefined) {
  const token = deriveToken(call.deriveSecret('token'), prefixOf(userId))
  return { token, hash: hashToken(token).toString('hex') }
}

function secretView(call: Call, secret: string, after?: Content): View {
  const done = call.link(LIST)
  return { breadcrumbs: breadcrumbs(), content: secretCard({ id: 'token', secret, done, after }) }
}
