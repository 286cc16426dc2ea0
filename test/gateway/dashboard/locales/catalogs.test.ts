// German is complete: each sentence of the sources is in one catalog, and nothing else is.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { catalogs } from '../../../../gateway/dashboard/locales/catalogs.ts'
import { type Catalog, withLanguage } from '../../../../gateway/dashboard/locales/translate.ts'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import { findSentences } from './sentences.ts'

const FILES = ['gateway/dashboard/locales/german.json', 'shared/messages/german.json']

const hasWords = (key: string) => /\p{L}/u.test(key.replace(/\{\w+\}/g, ''))
const valuesOf = (text: string) => [...new Set(text.match(/\{\w+\}|#(?= |$)/g) ?? [])].sort()

const readText = (file: string) => readFileSync(join(projectDirectory, file), 'utf8')

describe('German', () => {
  const messages: Catalog = JSON.parse(readText('shared/messages/german.json'))
  const found = ['gateway', 'workers', 'shared'].flatMap((folder) => findSentences(folder))
  const titles = Object.values(REFUSALS).map(({ title }) => title)
  const keys = new Set([...found.map(({ key }) => key), ...titles])

  it('has a translation of every sentence', () => {
    expect(keys.size).to.be.greaterThan(500)
    expect([...keys].filter((key) => hasWords(key) && !(key in catalogs.de))).to.deep.equal([])
  })

  it('has nothing that nobody says', () => {
    expect(Object.keys(catalogs.de).filter((key) => !keys.has(key))).to.deep.equal([])
  })

  it('has every sentence once, in alphabetical order', () => {
    for (const file of FILES) {
      const catalog: Catalog = JSON.parse(readText(file))
      const sorted = Object.fromEntries(Object.entries(catalog).sort(([a], [b]) => (a < b ? -1 : 1)))
      expect(readText(file), file).to.equal(`${JSON.stringify(sorted, null, 2)}\n`)
    }
    const keyed = FILES.flatMap((file) => Object.keys(JSON.parse(readText(file))))
    expect(keyed).to.have.length(Object.keys(catalogs.de).length)
  })

  // Some English words for work have none in German that would fit: writes, reads.
  it('has the values of a sentence, and of a page’s sentence every one', () => {
    const isRight = (key: string, values: string[]) =>
      key in messages
        ? values.every((value) => valuesOf(key).includes(value))
        : values.join() === valuesOf(key).join()
    const wrong = Object.entries(catalogs.de).flatMap(([key, translation]) =>
      (typeof translation === 'string' ? [translation] : Object.values(translation))
        .filter((each) => !isRight(key, valuesOf(each)))
        .map((each) => `${key} → ${each}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('counts by the rules of the language', () => {
    const plurals = found.filter(({ isPlural }) => isPlural)
    expect(plurals).to.not.have.length(0)
    const known = plurals.filter(({ key }) => key in catalogs.de)
    const wrong = known.filter(({ key }) => typeof catalogs.de[key] === 'string')
    expect(wrong.map(({ key }) => key)).to.deep.equal([])
  })

  it('is what is said where somebody reads German, and there only', () => {
    const [key = '', translation = ''] =
      Object.entries(catalogs.de).find(([each, text]) => typeof text === 'string' && text !== each) ?? []
    expect(withLanguage('de', catalogs.de, () => catalogs.de[key])).to.equal(translation)
  })
})
