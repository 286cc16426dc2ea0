// A page with every piece of the pages, in all its states. test/gateway/web/pages/ui/kit.browser.test.ts checks how a browser
// lays it out.

import { Html, html } from '../../../gateway/html/html.ts'
import { sentence } from '../../../gateway/web/locales/translate.ts'
import { type Call, page } from '../../../gateway/web/pages/page/page.ts'
import { barChart, figure, shareBar } from '../../../gateway/web/pages/ui/charts.ts'
import { Fields } from '../../../gateway/web/pages/ui/fields.ts'
import { filterBar } from '../../../gateway/web/pages/ui/forms.ts'
import { moreMenu } from '../../../gateway/web/pages/ui/menu.ts'
import {
  type Column,
  card,
  copyable,
  pager,
  showFacts,
  showLink,
  table,
} from '../../../gateway/web/pages/ui/parts.ts'
import { SKELETON } from '../../../gateway/web/pages/ui/skeleton.ts'
import { showEmpty, showNotice } from '../../../gateway/web/pages/ui/states.ts'
import { pageTabs, tabs } from '../../../gateway/web/pages/ui/tabs.ts'
import { message } from '../../../shared/messages/message.ts'
import { object, text } from '../../../shared/schemas/fields.ts'

export const kitPage = page({
  path: '/kit',
  title: sentence`Today`,
  readers: 'reader',
  query: object({ page: text({ max: 9 }) }),
  show: (call) => ({
    // Otherwise its layout would depend on the workers.
    showsSystemStatus: true,
    lead: `What the pages are made of.`,
    breadcrumbs: [[`Settings`, '/settings']],
    tools: html`${showLink('#buttons', `Cancel`, { class: 'button quiet' })}${showLink('#buttons', `Save changes`, { class: 'button primary' })}${moreMenu([showLink('#buttons', `Copy`)])}`,
    content: html`${sections(call)}${notices()}<div class="columns">${fields()}<div>${buttons()}${words(call)}</div></div>
${filterBar(call, filters)}<div class="listed">${table(`People`, columns, rows, '')}</div>${pager(call, { page: 2, hasMore: true })}
<div class="grid figures">${figures()}</div>
<div class="grid charts">${chart()}${card(`Nothing`, table(`People`, columns, [], showEmpty(`Nothing found.`, showLink('#buttons', `Import people`))))}
${card(`Loading`, html`<ul class="agenda" aria-busy="true">${new Html(SKELETON)}</ul>`)}</div>`,
  }),
})

const filters = (fields: Fields) => [
  fields.search('name', `Name`, { placeholder: `Name or e-mail` }),
  fields.select('state', `Status`, { any: `All`, options: [{ value: 1, label: `Free` }] }),
  fields.text('from', `First day`, { type: 'date' }),
]

const sections = ({ linkHere }: Call) =>
  pageTabs(`Kit`, [
    { label: `Bookings`, address: linkHere(), isCurrent: true },
    { label: `Rules`, address: linkHere({ page: 2 }), isCurrent: false },
    { label: `History`, address: linkHere({ page: 3 }), isCurrent: false, count: 4 },
  ])

const TONES = ['good', 'warn', 'bad'] as const

const notices = () => TONES.map((tone) => showNotice(tone, `Changes saved.`))

function buttons(): Html {
  const labels = { primary: `Save changes`, quiet: `Cancel`, danger: `Delete` }
  return card(
    `Buttons`,
    html`${[false, true].map(
      (isBusy) =>
        html`<div class="buttons">${Object.entries(labels).map(
          ([tone, label]) =>
            html`<button type="button" class="button ${tone}"${isBusy && html` aria-busy="true"`}>${label}</button>`,
        )}${moreMenu([showLink('#buttons', `Copy`), html`<a class="danger" href="#buttons">${`Delete`}</a>`], `Desk`)}</div>`,
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
  return card(
    `Fields`,
    html`<form class="form">${plain.text('name', `Name`, { required: true, value: 'Ada Lovelace' })}
${plain.text('hinted', `E-mail`, { hint: `Name or e-mail`, placeholder: 'ada@example.com' })}
${shown.text('wrong', `Password`, { required: true })}
${plain.select('type', `Type`, { options, value: 2, required: true })}
${plain.area('notes', `Description`, { rows: 2 })}
${plain.radios('one', `Status`, { options, value: 1, required: true })}
${plain.checkbox('check', `Block`, { checked: true })}
${plain.file('file', `File`)}</form>
<fieldset class="form" disabled>${plain.text('fixed', `Location`, { value: '3rd floor', required: true })}</fieldset>`,
    'fields',
  )
}

function words({ linkHere }: Call): Html {
  const badges = [...TONES, 'accent', ''].map(
    (tone) => html`<span class="badge ${tone}">${`assigned`}</span> `,
  )
  return html`${card(
    `Details`,
    html`${showFacts([
      [`Name`, 'Ada Lovelace'],
      [`Status`, html`${badges}`],
      [`Key`, html`<code>00u1</code>`],
    ])}${copyable('kit-copied', 'https://berth.example/dashboard')}
<details><summary>${`Fields`}</summary><p>${`Nothing found.`}</p></details><progress value="3" max="8" aria-label="${`Progress`}"></progress>`,
  )}
${tabs(`Show`, [
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

const figures = () => [122, 14, 43, 8].map((value) => figure(String(value), `Desks`, shareBar(value / 150)))

const chart = () =>
  barChart({
    title: `Bookings per day`,
    summary: `Bookings per day`,
    columns: [`Day`, `Bookings`],
    bars: [3, 8, 5, 9, 2].map((value, index) => ({ label: String(index + 1), value, isNow: index === 3 })),
    format: String,
  })
