// A page with every component in all its states. test/gateway/web/pages/ui/kit.browser.test.ts checks how a browser
// lays it out.

import { Html, html } from '../../../gateway/html/html.ts'
import { sentence } from '../../../gateway/web/locales/translate.ts'
import { type Call, definePage } from '../../../gateway/web/pages/page/page.ts'
import { showAvatars } from '../../../gateway/web/pages/ui/avatars.ts'
import { showBarChart, showFigureCard, showShareBar } from '../../../gateway/web/pages/ui/charts.ts'
import { Fields } from '../../../gateway/web/pages/ui/fields.ts'
import { showFilterBar } from '../../../gateway/web/pages/ui/forms.ts'
import { showMoreMenu } from '../../../gateway/web/pages/ui/menu.ts'
import {
  type Column,
  showCard,
  showCopyable,
  showFactList,
  showLink,
  showPager,
  showTable,
} from '../../../gateway/web/pages/ui/parts.ts'
import { LOADING_PLACEHOLDER } from '../../../gateway/web/pages/ui/skeleton.ts'
import { showEmptyState, showNotice } from '../../../gateway/web/pages/ui/states.ts'
import { showPageTabs, showTabs } from '../../../gateway/web/pages/ui/tabs.ts'
import { message } from '../../../shared/messages/message.ts'
import { object, text } from '../../../shared/schemas/fields.ts'

export const kitPage = definePage({
  path: '/kit',
  title: sentence`Today`,
  readers: 'reader',
  query: object({ page: text({ max: 9 }) }),
  show: (call) => ({
    // Hides the system status, because otherwise the layout would depend on the workers.
    showsSystemStatus: true,
    lead: `What the pages are made of.`,
    breadcrumbs: [[`Settings`, '/settings']],
    tools: html`${showLink('#buttons', `Cancel`, { class: 'button quiet' })}${showLink('#buttons', `Save changes`, { class: 'button primary' })}${showMoreMenu([showLink('#buttons', `Copy`)])}`,
    content: html`${sections(call)}${showNotices()}<div class="columns">${fields()}<div>${buttons()}${words(call)}</div></div>
${showFilterBar(call, filters)}<div class="listed">${showTable(`People`, columns, rows, '')}</div>${showPager(call, { page: 2, hasMore: true })}
<div class="grid figures">${figures()}</div>
<div class="grid charts">${showChart()}${showCard(`Nothing`, showTable(`People`, columns, [], showEmptyState(`Nothing found.`, showLink('#buttons', `Import people`))))}
${showCard(`Loading`, html`<ul class="agenda" aria-busy="true">${new Html(LOADING_PLACEHOLDER)}</ul>`)}</div>`,
  }),
})

const filters = (fields: Fields) => [
  fields.search('name', `Name`, { placeholder: `Name or e-mail` }),
  fields.select('state', `Status`, { any: `All`, options: [{ value: 1, label: `Free` }] }),
  fields.text('from', `First day`, { type: 'date' }),
]

const sections = ({ linkHere }: Call) =>
  showPageTabs(`Kit`, [
    { label: `Bookings`, address: linkHere(), isCurrent: true },
    { label: `Rules`, address: linkHere({ page: 2 }), isCurrent: false },
    { label: `History`, address: linkHere({ page: 3 }), isCurrent: false, count: 4 },
  ])

const TONES = ['good', 'warn', 'bad'] as const

const showNotices = () => TONES.map((tone) => showNotice(tone, `Changes saved.`))

function buttons(): Html {
  const labels = { primary: `Save changes`, quiet: `Cancel`, danger: `Delete` }
  return showCard(
    `Buttons`,
    html`${[false, true].map(
      (isBusy) =>
        html`<div class="buttons">${Object.entries(labels).map(
          ([tone, label]) =>
            html`<button type="button" class="button ${tone}"${isBusy && html` aria-busy="true"`}>${label}</button>`,
        )}${showMoreMenu([showLink('#buttons', `Copy`), html`<a class="danger" href="#buttons">${`Delete`}</a>`], `Desk`)}</div>`,
    )}`,
    'buttons',
  )
}

function fields(): Html {
  const options = [
    { value: 1, label: `Desk`, hint: `Nobody can book it.` },
    { value: 2, label: `Meeting room` },
  ]
  const refused = { values: { wrong: ['–'] }, errors: { wrong: [message`Wrong password.`] } }
  const shown = new Fields('kit', { refused })
  const plain = new Fields('kit')
  return showCard(
    `Fields`,
    html`<form class="form">${plain.text('name', `Name`, { required: true, value: 'Ada Lovelace' })}
${plain.text('hinted', `E-mail`, { hint: `Name or e-mail`, placeholder: 'ada@example.com' })}
${shown.text('wrong', `Password`, { required: true })}
${plain.select('type', `Type`, { options, value: 2, required: true })}
${plain.area('notes', `Description`, { rows: 2 })}
${plain.radios('one', `Status`, { options, value: 1, required: true })}
${plain.radios('span', `Time`, { areChips: true, options: options.map(({ value, label }) => ({ value, label })), value: 1, required: true })}
${plain.checkbox('check', `Block`, { checked: true })}
${plain.file('file', `File`)}</form>
<fieldset class="form" disabled>${plain.text('fixed', `Location`, { value: '3rd floor', required: true })}</fieldset>`,
    'fields',
  )
}

const people = Array.from({ length: 9 }, (_, id) => ({ id, name: `Ada Lovelace` }))

function words(call: Call): Html {
  const { linkHere } = call
  const badges = [...TONES, 'accent', ''].map(
    (tone) => html`<span class="badge ${tone}">${`assigned`}</span> `,
  )
  return html`${showCard(
    `Details`,
    html`${showFactList([
      [`Name`, 'Ada Lovelace'],
      [`Status`, html`${badges}`],
      [`Key`, html`<code>00u1</code>`],
      [`People`, showAvatars(people, 8)],
    ])}${showLink(call.linkHere({ page: 2 }), `Open in a sheet`, { 'data-sheet': true })}${showCopyable('kit-copied', 'https://berth.example/dashboard')}
<details><summary>${`Fields`}</summary><p>${`Nothing found.`}</p></details><progress value="3" max="8" aria-label="${`Progress`}"></progress>`,
  )}
${showTabs(`Show`, [
  { label: `All`, address: linkHere(), isCurrent: true, count: 12 },
  { label: `Free`, address: linkHere({ page: 2 }), isCurrent: false, count: 3 },
])}`
}

type Row = { name: string; email: string; bookings: number; tone: string }
const rows: Row[] = [
  { name: 'Ada Lovelace', email: 'ada@example.com', bookings: 12, tone: 'good' },
  { name: 'Björn Åkerström', email: 'bjorn@example.com', bookings: 7, tone: 'warn' },
  { name: 'Łucja Wiśniewska', email: 'lucja@example.com', bookings: 1_204, tone: 'accent' },
]
const columns: Column<Row>[] = [
  {
    label: 'Name',
    show: ({ name, tone }) => html`<a href="#buttons">${name}</a> <span class="badge ${tone}">${tone}</span>`,
  },
  { label: 'E-mail', show: ({ email }) => email },
  { label: 'Seen', isShort: true, show: () => '09:30' },
  { label: 'Number', isNumber: true, show: ({ bookings }) => String(bookings) },
  { label: 'Tools', isTools: true, show: () => html`<a href="#buttons">…</a>` },
]

const figures = () =>
  [122, 14, 43, 8].map((value) => showFigureCard(String(value), `Desks`, showShareBar(value / 150)))

const showChart = () =>
  showBarChart({
    title: `Bookings per day`,
    summary: `Bookings per day`,
    columns: [`Day`, `Bookings`],
    bars: [3, 8, 5, 9, 2].map((value, index) => ({ label: String(index + 1), value, isNow: index === 3 })),
    format: String,
  })
