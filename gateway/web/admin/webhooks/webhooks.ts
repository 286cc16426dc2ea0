// Integrations: the list of webhooks, the pages that create and delete a webhook, and the webhook's form. A
// webhook's secret is shown only once.
import { includesRole } from '../../../../shared/administrators/roles.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { choice, list, object, required, text } from '../../../../shared/schemas/fields.ts'
import { CHANGE_TYPES, type ChangeType } from '../../../../shared/webhooks/changes.ts'
import { requirePublicUrl } from '../../../../shared/webhooks/webhook-urls.ts'
import { WEBHOOK_TYPES, webhookUrlInput } from '../../../../shared/webhooks/webhooks.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { Breadcrumbs, Call, PageView } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { defineFormPage, defineListPage, defineResourcePages } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { showLink, showLinkOrText, showSecretCard } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { showIntegrationTabs } from '../tokens/integration-tabs.ts'
import {
  findWebhook,
  listDisabledWebhooks,
  listWebhooks,
  WEBHOOK_SORT_KEYS,
  type WebhookRow,
} from './queries.ts'

const LIST_PATH = '/integrations/webhooks'

/** The change types that have a checkbox. Users type all other types. */
const TYPE_GROUPS = ['*', ...CHANGE_TYPES.map((type) => `${type}.*`)]

const GROUP_LABELS: Record<ChangeType, Sentence> = {
  booking: sentence`Bookings`,
  booking_request: sentence`Booking requests`,
  event: sentence`Meetings`,
  bookable: sentence`Desks, rooms and parking`,
  location: sentence`Floors`,
  building: sentence`Buildings`,
  user: sentence`People`,
  group: sentence`Groups`,
  absence: sentence`Absences`,
  loan: sentence`Loans`,
}

const ACTIONS_LENGTH_MAX = 2_000
const NAMED_WEBHOOKS_MAX = 5

export const webhookForm = object({
  url: required(webhookUrlInput()),
  description: text({ max: 255 }).default(''),
  groups: list(required(choice(TYPE_GROUPS, (name) => message`${name} is not one of the choices.`)), {
    max: TYPE_GROUPS.length,
    isDistinct: true,
  }),
  actions: text({ max: ACTIONS_LENGTH_MAX }).optional(),
})

const breadcrumbs = (): Breadcrumbs => [
  [t`Integrations`, '/integrations'],
  [t`Webhooks`, LIST_PATH],
]

export const webhookPages = defineResourcePages({
  path: `${LIST_PATH}/{id}`,
  section: 'Integrations',
  missing: message`This webhook does not exist.`,
  find: (call) => findWebhook(call.reads, call.params.id),
  above: breadcrumbs,
  nameOf: ({ description, url }) => description || url,
})

export const webhooksPage = defineListPage({
  path: LIST_PATH,
  title: sentence`Webhooks`,
  section: 'Integrations',
  orders: WEBHOOK_SORT_KEYS,
  usual: 'created',
  find: (call, slice, order) => listWebhooks(call.reads, slice, order),
  columns: (call) => [
    {
      label: t`Receiver`,
      sort: 'receiver',
      show: ({ id, url, description }) => showLinkOrText(call.link(`${LIST_PATH}/${id}`), description || url),
    },
    { label: t`State`, show: showWebhookState },
    { label: t`URL`, sort: 'url', show: ({ url }) => html`<code>${url}</code>` },
    { label: t`Sends`, show: ({ types }) => types.map((each) => html`<span class="badge">${each}</span> `) },
    {
      label: t`Last delivered`,
      isShort: true,
      show: ({ lastDeliveredAt }) =>
        lastDeliveredAt === null ? t`never` : showRelativeInstant(lastDeliveredAt, call.now),
    },
  ],
  empty: () =>
    showEmptyState(
      t`No webhooks yet.`,
      t`Create a webhook for each program that needs to know about changes.`,
    ),
  view: (call) => ({
    title: t`Integrations`,
    lead: t`Webhooks tell other programs within seconds what changes here.`,
    above: showIntegrationTabs(call, LIST_PATH),
    tools: showLink(call.link(`${LIST_PATH}/new`), t`New webhook`, { class: 'button primary' }),
  }),
})

export const newWebhookPage = defineFormPage({
  path: `${LIST_PATH}/new`,
  title: sentence`New webhook`,
  section: 'Integrations',
  find: () => undefined,
  breadcrumbs,
  action: 'create',
  submit: sentence`Create webhook`,
  form: webhookForm,
  fields: showWebhookFields,
  async act(call) {
    const { url, description } = requirePublicUrl(call.form, call.services.config)
    const types = parseTypes(call.form)
    const { data } = await call.dispatch('webhooks.create', { url, description, types })
    const lead = tHtml`${html`<strong>${description || url}</strong>`} receives changes from now on.`
    return { show: showSecretOnce(call, data, t`Webhook created`, lead) }
  },
})

export const deleteWebhookPage = webhookPages.form({
  path: '/delete',
  title: sentence`Delete webhook`,
  action: 'delete',
  tone: 'danger',
  heading: ({ description, url }) => t`Delete the webhook “${description || url}”?`,
  intro: () =>
    t`Berth stops sending to this webhook and deletes its deliveries. To pause it, switch it off instead.`,
  async act(call) {
    await call.dispatch('webhooks.delete', { id: call.params.id })
    return { redirectTo: call.link(LIST_PATH), notice: t`Webhook deleted.` }
  },
})

/** Converts the form's values to the webhook's types. Refuses a value that names no type, or a type that does
 * not exist. */
export function parseTypes(typed: { groups?: string[]; actions?: string | undefined }): string[] {
  const { groups = [], actions = '' } = typed
  const named = actions.split(/[\s,;]+/).filter(Boolean)
  const unknown = named.find((type) => !WEBHOOK_TYPES.includes(type))
  if (unknown !== undefined)
    throw invalidFields({ actions: [message`“${unknown}” is unknown. Use a form such as booking.created.`] })
  const types = [...new Set([...groups, ...named])]
  if (types.length === 0) throw invalidFields({ groups: [message`Choose at least one.`] })
  return types
}

export function showWebhookFields(fields: Fields, filled?: WebhookRow): Html[] {
  const types = filled?.types ?? []
  const groups = CHANGE_TYPES.map((type) => ({ value: `${type}.*`, label: translate(GROUP_LABELS[type]) }))
  return [
    fields.text('url', t`URL`, {
      value: filled?.url,
      placeholder: 'https://hooks.example.com/berth',
      hint: t`Berth sends each change to this address, as a POST request with JSON.`,
      autofocus: filled === undefined,
    }),
    fields.text('description', t`Description`, {
      value: filled?.description,
      hint: t`The program that receives the changes, such as “Lobby display”.`,
    }),
    fields.checkboxes('groups', t`Send changes of`, {
      options: [{ value: '*', label: t`Everything` }, ...groups],
      values: types.filter((type) => TYPE_GROUPS.includes(type)),
    }),
    fields.text('actions', t`Other changes`, {
      value: types.filter((type) => !TYPE_GROUPS.includes(type)).join(' '),
      hint: t`Separated by spaces, such as “booking.created booking.released”.`,
    }),
  ]
}

/** Shows the secret of a webhook. No other page contains it. */
export function showSecretOnce(
  call: Call,
  { id, secret }: { id: number; secret: string },
  title: string,
  lead: Html,
): PageView {
  const standard = showLinkOrText('https://www.standardwebhooks.com', 'Standard Webhooks')
  const warning = tHtml`Copy the secret now: it is not shown again. The receiver uses it to verify that a delivery comes from Berth, as described in ${standard}.`
  const before = html`<p>${lead}</p>`
  const content = showSecretCard({
    id: 'secret',
    secret,
    done: call.link(`${LIST_PATH}/${id}`),
    before,
    warning,
  })
  return { title, breadcrumbs: breadcrumbs(), content }
}

export function showWebhookState({ isEnabled, disabledReason, failingSince }: WebhookRow): Html {
  if (!isEnabled)
    return disabledReason === null
      ? html`<span class="badge">${t`off`}</span>`
      : html`<span class="badge bad">${t`switched off`}</span>`
  return failingSince === null ? html`${t`on`}` : html`<span class="badge warn">${t`failing`}</span>`
}

/** Tells administrators which webhooks Berth has disabled, because they might not have any monitoring that
 * tells them. */
export async function showDisabledWebhooks(call: Call): Promise<Content> {
  if (!includesRole(call.requireAdmin().role, 'administrator')) return null
  const found = await listDisabledWebhooks(call.reads, NAMED_WEBHOOKS_MAX + 1)
  if (found.length === 0) return null
  const [first, ...others] = found.slice(0, NAMED_WEBHOOKS_MAX).map(({ id, name, reason }) => {
    const link = showLinkOrText(call.link(`${LIST_PATH}/${id}`), name)
    return html`${tHtml`Berth has switched off the webhook ${link}.`} ${formatMessage({ text: reason })}`
  })
  const all = found.length > NAMED_WEBHOOKS_MAX && showLink(call.link(LIST_PATH), t`All webhooks`)
  return showNotice(
    'warn',
    first,
    [...others, all].map((each) => each && html`<p>${each}</p>`),
  )
}
