// The accessible name of a link or button contains the words that are visible on it, so that all can speak of it and a
// voice can choose it: on every page, in each language, whose words stand in another order.
import { expect } from 'chai'
import { attributesOf, useSignedIn, wordsOf } from '../../../support/dashboard/dashboard.ts'
import { everyPage } from '../../../support/dashboard/every-page.ts'
import { useWorld } from '../../../support/world.ts'

const EVERY_PAGE_MS = 120_000

describe('the labels of links and buttons', () => {
  const world = useWorld()
  const signedIn = useSignedIn(world)

  it('contain the visible words, in each language', async function () {
    this.timeout(EVERY_PAGE_MS)
    const examples = await everyPage(world)
    const found = new Set<string>()
    let labelled = 0
    for (const language of ['en', 'de']) {
      for (const { path } of examples) {
        const { text } = await signedIn.open(path, { headers: { 'Accept-Language': language } })
        for (const [, , own = '', content = ''] of text.matchAll(/<(a|button)\b([^>]*)>([\s\S]*?)<\/\1>/g)) {
          const { 'aria-label': label } = attributesOf(own)
          const seen = wordsOf(content).toLowerCase()
          if (label === undefined || !/\p{L}/u.test(seen)) continue
          labelled++
          if (!label.toLowerCase().includes(seen)) found.add(`${language}: “${seen}” is called “${label}”`)
        }
      }
    }
    expect(labelled).to.be.greaterThan(50)
    expect([...found]).to.deep.equal([])
  })
})
