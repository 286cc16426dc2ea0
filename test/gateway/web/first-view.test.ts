// Tests that the first view of every page of the three sites is small: the page and all that it loads, compressed, with
// an empty cache. test/long/first-paint.test.ts measures how long a phone waits for it. SHOW_WEIGHTS=1 prints all sizes.
import { request } from 'node:http'
import { expect } from 'chai'
import { seedDemo } from '../../../commands/seed/demo.ts'
import { Browser, createSignedIn } from '../../support/dashboard/dashboard.ts'
import { listEveryPage } from '../../support/dashboard/every-page.ts'
import { createFullPerson } from '../../support/people/every-page.ts'
import { signInAs } from '../../support/people/person.ts'
import { createScreen } from '../../support/screens/screens.ts'
import { useWorld } from '../../support/world.ts'

const BYTES_MAX = 60 * 1_024
// The addresses of what pages, scripts and styles load. Fonts with other letters load only when a page has such a letter.
const LOADED = [
  /<(?:link|script|img|image|use)\b[^>]*\s(?:href|src)="([^"#]+)/g,
  /\b(?:import|from)"(\.\/[\w-]+\.js)"/g,
  /url\("?([\w-]+latin\.woff2)"?\)/g,
]

describe('the first view of every page', function () {
  this.timeout(300_000)
  const world = useWorld()
  const sizes = new Map<string, number>()
  const texts = new Map<string, string>()
  let pages: Array<{ path: string; browser: Browser }>
  before(async () => {
    await seedDemo(world.database)
    const full = await createFullPerson(world.database)
    const [administrator, person] = [await createSignedIn(world), await signInAs(world, full.id)]
    const stranger = new Browser(world.url)
    const door = await createScreen(world.database, { bookable_id: 1 })
    const lobby = await createScreen(world.database, { kind: 'lobby', building_id: 1 })
    pages = [
      ...full.addresses.map((path) => ({ path, browser: person })),
      ...[...full.open, door.path, lobby.path].map((path) => ({ path, browser: stranger })),
      ...(await listEveryPage(world)).map(({ page: { access }, path }) => ({
        path,
        browser: access === 'signed-in' ? administrator : stranger,
      })),
    ]
  })

  it('has at most 60 KiB in English and German', async () => {
    const found: Array<[bytes: number, page: string]> = []
    for (const language of ['en', 'de'])
      for (const { path, browser } of pages)
        found.push([await measureFirstView(browser, path, language), `${path} in ${language}`])
    found.sort(([one], [other]) => other - one)
    if (process.env.SHOW_WEIGHTS) for (const each of found) console.log(`      ${each.join(' ')}`)
    expect(found).to.have.length.above(200)
    expect(found.filter(([bytes]) => bytes > BYTES_MAX)).to.deep.equal([])
    // Each page has at least its styles and its font.
    expect(Math.min(...found.map(([bytes]) => bytes))).to.be.above(20 * 1_024)
  })

  /** Returns the bytes of a page and of all files that it loads. */
  async function measureFirstView(browser: Browser, path: string, language: string): Promise<number> {
    const headers = { 'Accept-Language': language }
    const { text } = await browser.open(path, { headers })
    const address = new URL(browser.page.path, world.url).href
    const loaded = new Map([[address, await measureTransfer(browser, address, language)]])
    await addLoaded(text, address)
    return [...loaded.values()].reduce((sum, bytes) => sum + bytes, 0)

    async function addLoaded(content: string, base: string): Promise<void> {
      for (const [, named = ''] of LOADED.flatMap((each) => [...content.matchAll(each)])) {
        const { href, origin } = new URL(named.replaceAll('&amp;', '&'), base)
        if (origin !== world.url || loaded.has(href)) continue
        const isAsset = href.includes('/assets/')
        if (!isAsset || !sizes.has(href)) sizes.set(href, await measureTransfer(browser, href, language))
        loaded.set(href, sizes.get(href) ?? 0)
        if (!isAsset) continue
        if (!texts.has(href)) texts.set(href, await (await fetch(href)).text())
        await addLoaded(texts.get(href) ?? '', href)
      }
    }
  }

  const measureTransfer = ({ cookies }: Browser, address: string, language: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        Accept: 'text/html,*/*',
        'Accept-Encoding': 'gzip, br',
        'Accept-Language': language,
        Cookie: [...cookies].map((each) => each.join('=')).join('; '),
      }
      const sent = request(address, { headers }, (answer) => {
        let bytes = 0
        answer.on('data', (piece: Buffer) => {
          bytes += piece.length
        })
        answer.on('end', () => resolve(bytes))
      })
      sent.on('error', reject)
      sent.end()
    })
})
