// German is complete: each sentence of the sources is in one catalog, and nothing else is.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { catalogs } from '../../../../gateway/dashboard/catalogs.ts'
import { type Catalog, speakLanguage } from '../../../../gateway/dashboard/language/translate.ts'
import { projectDirectory } from '../../../../local/folders.ts'
import { REFUSALS } from '../../../../shared/refusals/kinds.ts'
import { findSentences } from './sentences.ts'

const FOLDER = 'gateway/dashboard'

const MESSAGES = 'shared/messages/german.json'

const hasWords = (key: string) => /\p{L}/u.test(key.replace(/\{\d+\}/g, ''))
const valuesOf = (text: string) => [...new Set(text.match(/\{\d+\}|#(?= |$)/g) ?? [])].sort()

async function readCatalogs(): Promise<Array<{ file: string; catalog: Catalog }>> {
  const names = readdirSync(join(projectDirectory, FOLDER), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => /(^|\/)[a-z-]*german\.ts$/.test(name))
  return Promise.all(
    files.map(async (file) => {
      const { german } = (await import(`../../../../${FOLDER}/${file}`)) as { german: Catalog }
      return { file, catalog: german }
    }),
  )
}

describe('German', () => {
  const messages: Catalog = JSON.parse(readFileSync(join(projectDirectory, MESSAGES), 'utf8'))
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

  it('has every sentence once', async () => {
    const files = new Map<string, string>()
    const twice: string[] = []
    const all = [...(await readCatalogs()), { file: MESSAGES, catalog: messages }]
    for (const { file, catalog } of all) {
      for (const key of Object.keys(catalog)) {
        if (files.has(key)) twice.push(`${key}: ${files.get(key)} and ${file}`)
        files.set(key, file)
      }
    }
    expect(twice).to.deep.equal([])
    expect(files.size).to.equal(Object.keys(catalogs.de).length)
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
    expect(speakLanguage('de', catalogs.de, () => catalogs.de[key])).to.equal(translation)
  })
})
