// Lists texts that do harm if a page does not escape them.
import { expect } from 'chai'

export const HOSTILE_TEXTS = [
  `<script>document.title='broken in'</script>`,
  `"><img src=x onerror="document.title='broken in'">`,
  `' onmouseover='alert(1)' x='`,
  `</textarea></title></style><svg onload=alert(1)>`,
  `javascript:alert(1)`,
  `\${7*7}{{7*7}}<!--`,
  `&lt;b&gt; &amp; "quoted" it's`,
  `‮evil‬ \u0301 \u{1f9d1}‍\u{1f4bb}`,
]

/** Expects a page that contains a hostile text to show it only as text. */
export function expectHarmless(page: string, text: string) {
  const escaped = text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;')
  expect(page, 'shows the text').to.include(escaped)
  if (escaped !== text) expect(page, 'escapes it everywhere').to.not.include(text)
  expect(page).to.not.match(/href="javascript:/i)
}
