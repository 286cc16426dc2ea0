// Settings → Calendars: the providers, and their rooms beside Berth's. An owner links rooms to their calendars here.
import { message } from '../../../../shared/messages/message.ts'
import { LINKS_PER_WRITE_MAX } from '../../../../shared/room-calendars/room-calendar-jobs.ts'
import {
  CALENDAR_PROVIDERS,
  type CalendarProviderName,
  PROVIDER_LABELS,
} from '../../../../shared/room-calendars/room-calendars.ts'
import { choice, object, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import {
  formatMessage,
  plural,
  type Sentence,
  sentence,
  t,
  tHtml,
  translate,
} from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { form, showFilterBar } from '../../pages/ui/forms.ts'
import { createPageSlice, pageNumber, showPagedTable } from '../../pages/ui/paging.ts'
import { type Column, showCard, showFactList, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import {
  countRooms,
  listMatches,
  listProviderRooms,
  listProviders,
  type ProviderRow,
  ROOM_STATES,
  type RoomRow,
} from './queries.ts'
import { CALENDARS_PATH, settingsBreadcrumbs, showCalendarTabs } from './tabs.ts'

const ROWS_PER_PAGE = 50

const STATE_LABELS: Record<(typeof ROOM_STATES)[number], Sentence> = {
  linked: sentence`Linked`,
  behind: sentence`Linked, but not in step`,
  matching: sentence`Not linked, with a matching room`,
  missing: sentence`Without a matching room`,
}

const query = object({
  search: text({ max: 255 }),
  state: choice(ROOM_STATES, (name) => message`${name} is not one of the choices.`).optional(),
  page: pageNumber(),
})

export const roomCalendarsPage = definePage({
  path: CALENDARS_PATH,
  title: sentence`Calendars`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  query,
  actions: (action) => ({
    'list-rooms': action(object({}), async (call) => {
      await call.dispatch('room-calendars.list-rooms', {})
      return { redirectTo: call.linkHere(), notice: t`Berth asks the providers for their rooms now.` }
    }),
    'link-all': action(object({}), async (call) => {
      const matches = await listMatches(call.reads)
      let linked = 0
      for (const provider of CALENDAR_PROVIDERS) {
        const links = matches
          .filter((match) => match.provider === provider)
          .slice(0, LINKS_PER_WRITE_MAX)
          .map(({ bookableId: bookable_id, calendar }) => ({ bookable_id, calendar }))
        if (links.length > 0) await call.dispatch('room-calendars.link-many', { provider, links })
        linked += links.length
      }
      const notice = plural(linked, '# room linked.', '# rooms linked.')
      return { redirectTo: call.link(CALENDARS_PATH), notice }
    }),
  }),
  async show(call) {
    const providers = await listProviders(call.reads)
    const lead = t`Meeting rooms that also have a calendar at Microsoft 365, Google Workspace or a CalDAV server.`
    const breadcrumbs = settingsBreadcrumbs()
    if (providers.length === 0) return { breadcrumbs, lead, content: showNoProvider() }
    const [counts, found] = await Promise.all([
      countRooms(call.reads),
      listProviderRooms(call.reads, call.query, createPageSlice(call.query.page, ROWS_PER_PAGE)),
    ])
    const table = showPagedTable(call, {
      caption: t`Rooms of the providers`,
      columns: createColumns(call, providers.length > 1),
      found,
      rowsPerPage: ROWS_PER_PAGE,
      page: call.query.page,
      empty: showNoRooms(call),
    })
    return {
      breadcrumbs,
      lead,
      content: html`${showCalendarTabs(call, CALENDARS_PATH, counts.conflicts)}
${counts.matching > 0 && showLinkAll(call, counts.matching)}
<div class="grid">${providers.map((each) => showProvider(call, each))}</div>
${showFilters(call)}
${table}
${form(call, { action: 'list-rooms', submit: t`List the rooms again`, tone: 'quiet' })}`,
    }
  },
})

const showNoProvider = () =>
  showEmptyState(
    t`No provider is set up.`,
    tHtml`To link meeting rooms to their calendars, give the process ${html`<code>hooks</code>`} the settings of Microsoft 365, Google Workspace or a CalDAV server. ${html`<code>docs/calendars.md</code>`} says how, step by step. The provider then appears here within a minute.`,
  )

const showNoRooms = ({
  query: { search, state },
}: Call<unknown, { search?: string | undefined; state?: string | undefined }>) =>
  search || state
    ? showEmptyState(t`No room matches.`)
    : showEmptyState(
        t`No provider has listed a room yet.`,
        t`Berth asks for the rooms once an hour. If none appear, the account may lack the permission to list them; docs/calendars.md names it.`,
      )

function showProvider(
  call: Call,
  { provider, isSet, rooms, listedAt, fault, faultSince, linked, inStep }: ProviderRow,
): Html {
  const label = PROVIDER_LABELS[provider]
  const state = !isSet
    ? html`<span class="badge warn">${t`no settings`}</span>`
    : fault === null
      ? html`<span class="badge good">${t`connected`}</span>`
      : html`<span class="badge bad">${t`fault`}</span>`
  const notice = !isSet
    ? showNotice(
        'warn',
        t`No running process has settings for ${label}, so its rooms are not kept in step. Start the process hooks with these settings; docs/calendars.md names them.`,
      )
    : fault !== null &&
      showNotice(
        'bad',
        html`${formatMessage(fault)}${faultSince !== null && html` <span class="soft">${tHtml`Since ${showRelativeInstant(faultSince, call.now)}`}</span>`}`,
      )
  return showCard(
    label,
    html`${notice}${showFactList([
      [t`State`, state],
      [
        t`Rooms`,
        listedAt === null
          ? t`not listed yet`
          : tHtml`${rooms}, listed ${showRelativeInstant(listedAt, call.now)}`,
      ],
      [t`Linked`, String(linked)],
      [t`In step`, String(inStep)],
    ])}
${isSet && rooms > 0 && html`<p>${showLink(call.link(`${CALENDARS_PATH}/create`, { provider }), t`Create missing rooms`)}</p>`}`,
    provider,
  )
}

function showLinkAll(call: Call, matching: number): Html {
  const button = form(call, { action: 'link-all', submit: t`Link all that match`, isInline: true })
  const summary = plural(
    matching,
    '# room of a provider matches a room of Berth.',
    '# rooms of the providers match rooms of Berth.',
  )
  return showNotice('neutral', summary, button)
}

const showFilters = (call: Call): Html =>
  showFilterBar(call, (fields) => [
    fields.search('search', t`Room`),
    fields.select('state', t`State`, {
      any: t`All`,
      options: ROOM_STATES.map((value) => ({ value, label: translate(STATE_LABELS[value]) })),
    }),
  ])

function createColumns(call: Call, hasSeveralProviders: boolean): Column<RoomRow>[] {
  return [
    {
      label: t`Calendar`,
      isWide: true,
      show: ({ name, calendar, isInStep, fault }) =>
        html`${name === calendar ? html`<code>${calendar}</code>` : html`${name} <span class="soft">${calendar}</span>`}
${!isInStep && fault !== null && html`<div class="soft">${formatMessage(fault)}</div>`}`,
    },
    ...(hasSeveralProviders
      ? [
          {
            label: t`Provider`,
            isMinor: true,
            show: ({ provider }: { provider: CalendarProviderName }) => PROVIDER_LABELS[provider],
          },
        ]
      : []),
    { label: t`Seats`, isNumber: true, isMinor: true, show: ({ capacity }) => capacity },
    { label: t`Room in Berth`, show: (row) => showBerthRoom(call, row) },
    { label: t`State`, isShort: true, show: showState },
    { label: t`Actions`, isTools: true, show: (row) => showTools(call, row) },
  ]
}

function showBerthRoom(call: Call, { bookableId, bookable, location, isLinked }: RoomRow): Content {
  if (bookableId === null || bookable === null) return null
  const link = showLinkOrText(call.link(`/places/bookables/${bookableId}`), bookable)
  return html`${isLinked ? link : tHtml`${link}?`} <span class="soft">${location}</span>`
}

function showState({ isLinked, isInStep, hasBeenInStep, fault, bookableId }: RoomRow): Html {
  if (!isLinked) return html`<span class="badge">${bookableId === null ? t`no match` : t`not linked`}</span>`
  if (isInStep) return html`<span class="badge good">${t`in step`}</span>`
  if (fault === null && !hasBeenInStep) return html`<span class="badge accent">${t`being linked`}</span>`
  return html`<span class="badge bad">${t`not in step`}</span>`
}

function showTools(call: Call, { provider, calendar, name, isLinked, bookableId }: RoomRow): Content {
  if (isLinked)
    return showLink(call.link(`${CALENDARS_PATH}/${bookableId}/unlink`), t`Unlink`, {
      'aria-label': t`Unlink ${name}`,
    })
  return showLink(call.link(`${CALENDARS_PATH}/link`, { provider, calendar }), t`Link`, {
    'aria-label': t`Link ${name}`,
  })
}
