// Integrations: the pages that create a token, give it a new secret, and revoke it. A secret is shown only once. It is
// derived from the session's secret and the form's id, so that a double click, or reloading the page, creates and shows
// the same secret.

import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
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
  deriveToken,
  getTokenPrefix,
  hashToken,
  TOKEN_BUILDINGS_MAX,
} from '../../../../shared/tokens/token-store.ts'
import { NETWORKS_MAX } from '../../../../shared/tokens/tokens.ts'
import { addDays } from '../../../../shared/utilities/date-times.ts'
import { isNetwork } from '../../../../shared/utilities/private-networks.ts'
import { type Content, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { ActionCall, Breadcrumbs, Call, PageView } from '../../pages/page/page.ts'
import { listBuildingChoices } from '../../pages/search/choices.ts'
import { namedPerson, requireNamedPerson, showNamedPeopleField } from '../../pages/search/named-people.ts'
import { defineFormPage, defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { choices } from '../../pages/ui/fields.ts'
import { showCopyable, showSecretCard } from '../../pages/ui/parts.ts'
import { findToken, requireValidToken } from './token-list.ts'

export const ABILITY_SENTENCES: Record<Ability, Sentence> = {
  read: sentence`See people, places, bookings and meetings.`,
  'user-write': sentence`Create, change, import and export people.`,
  'webhook-write': sentence`See webhooks and calendar addresses. Changing them also requires permission to see bookings and people, because they expose both.`,
  'object-write': sentence`Create, change and delete buildings, floors, desks, rooms and parking spots, and set rules.`,
  'booking-write': sentence`Create, change and delete bookings and meetings.`,
}

/** The choices of when a token expires, in days. */
const EXPIRY_CHOICES = choices(
  ['never', sentence`Never`],
  ['30', sentence`In 30 days`],
  ['90', sentence`In 90 days`],
  ['365', sentence`In a year`],
)

/** The choices of how long the previous secret still works, in hours. */
const OVERLAP_CHOICES = choices(
  ['0', sentence`Not at all`],
  ['1', sentence`An hour`],
  ['24', sentence`A day`],
  ['168', sentence`A week`],
)
const PREVIOUS_SECRET_COLUMNS = {
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
  person: namedPerson(),
  expires: required(EXPIRY_CHOICES.rule()),
  limit: queryNumber(integer({ min: 1, max: 2_147_483_647 })),
  buildings: list(required(queryId()), { max: TOKEN_BUILDINGS_MAX }),
  addresses: text({ max: 2_000 }).test(
    'networks',
    () => message`Write addresses or networks such as 192.0.2.0/24, separated by commas.`,
    (value) => {
      const networks = splitNetworks(value)
      return networks.length <= NETWORKS_MAX && networks.every(isNetwork)
    },
  ),
})

const splitNetworks = (value = '') => value.split(/[\s,]+/).filter(Boolean)

const LIST_PATH = '/integrations/tokens'

const breadcrumbs = (): Breadcrumbs => [
  [t`Integrations`, '/integrations'],
  [t`Tokens`, LIST_PATH],
]

export const newTokenPage = defineFormPage({
  path: `${LIST_PATH}/new`,
  title: sentence`New token`,
  section: 'Integrations',
  find: (call) => listBuildingChoices(call.reads),
  breadcrumbs,
  action: 'create',
  submit: sentence`Create token`,
  form: tokenForm,
  fields: (fields, buildings, call) => [
    fields.text('name', t`Name`, {
      hint: t`The program that will use the token, such as “Lobby display”.`,
      autofocus: true,
    }),
    showNamedPeopleField(
      fields.text('person', t`For a person`, {
        hint: t`The name or e-mail of the person who owns the token. The token can view and change only that person’s own data, and it must expire. Leave empty for a token without an owner.`,
      }),
    ),
    fields.checkboxes('abilities', t`Permissions of the token`, {
      hint: t`Each permission allows only what it says. For example, changing bookings does not include seeing people.`,
      options: ABILITIES.map((value) => ({
        value,
        label: translate(ABILITY_SENTENCES[value]),
        hint: value,
      })),
      values: ['read'],
    }),
    fields.select('expires', t`Expires`, { options: EXPIRY_CHOICES.options(), value: '365' }),
    fields.text('limit', t`Requests per minute`, {
      type: 'number',
      min: 1,
      hint: t`${call.services.config.rateLimitPerMinute} if you leave it empty.`,
    }),
    buildings.length > 0 &&
      fields.checkboxes('buildings', t`Buildings`, {
        hint: t`The token can view and change only what is in these buildings, but can access all people. If you select none, it can use all buildings.`,
        options: buildings.map(({ id, name }) => ({ value: id, label: name })),
      }),
    fields.text('addresses', t`Addresses`, {
      hint: t`Networks from which the token may be used, separated by commas, such as 192.0.2.0/24. Leave empty to allow any.`,
    }),
  ],
  async act(call) {
    const { name, abilities, person, expires, limit, buildings = [], addresses } = call.form
    const userId =
      person === undefined ? undefined : (await requireNamedPerson(call.reads, person, 'person')).id
    if (userId !== undefined && expires === 'never')
      throw invalidFields({ expires: [message`A personal token must have an expiry date.`] })
    const { token, hash } = deriveSecret(call, userId)
    const networks = splitNetworks(addresses)
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
${showCopyable('line', line, t`Copy the command`)}`
    return {
      show: {
        title: t`Token created`,
        lead: tHtml`${html`<strong>${name}</strong>`} is ready to use.`,
        ...showSecretOnce(call, token, abilities.includes('read') && example),
      },
    }
  },
})

export const tokenPages = defineResourcePages({
  path: `${LIST_PATH}/{id}`,
  section: 'Integrations',
  missing: message`This token does not exist.`,
  find: (call) => findToken(call.reads, call.params.id),
  above: breadcrumbs,
})

export const revokeTokenPage = tokenPages.form({
  path: '/revoke',
  title: sentence`Revoke token`,
  action: 'revoke',
  tone: 'danger',
  heading: ({ name }) => t`Revoke “${name}”?`,
  intro: () =>
    t`Programs that use this token lose access within a second. Their past changes stay. This cannot be undone.`,
  async act(call) {
    await call.dispatch('tokens.revoke', { id: call.params.id })
    return { redirectTo: call.link(LIST_PATH), notice: t`Token revoked.` }
  },
})

export const rotateTokenPage = tokenPages.form({
  path: '/rotate',
  title: sentence`New secret`,
  find: (call) => requireValidToken(call.reads, call.params.id),
  action: 'rotate',
  submit: sentence`Create secret`,
  form: object({ overlap: required(OVERLAP_CHOICES.rule()) }),
  heading: ({ name }) => t`New secret for “${name}”`,
  intro: () =>
    t`The token keeps its permissions. Give the new secret to each program that uses the token while the current secret still works.`,
  fields: (fields) =>
    fields.select('overlap', t`Keep the current secret valid for`, {
      options: OVERLAP_CHOICES.options(),
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
    const lead = translate(PREVIOUS_SECRET_COLUMNS[overlap])
    return { show: { title: t`Secret created`, lead, ...showSecretOnce(call, token) } }
  },
})

function deriveSecret(call: ActionCall, userId: number | null | undefined) {
  const token = deriveToken(call.deriveSecret('token'), getTokenPrefix(userId))
  return { token, hash: hashToken(token).toString('hex') }
}

function showSecretOnce(call: Call, secret: string, after?: Content): PageView {
  const done = call.link(LIST_PATH)
  return { breadcrumbs: breadcrumbs(), content: showSecretCard({ id: 'token', secret, done, after }) }
}
