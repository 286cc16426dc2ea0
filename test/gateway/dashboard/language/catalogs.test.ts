// German is complete: each sentence of the sources is in one catalog, and nothing else is.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { catalogs } from '../../../../gateway/dashboard/catalogs.ts'
import { type Catalog, speakLanguage } from '../../../../gateway/dashboard/language/translate.ts'
import { projectDirectory } from '../../../../local/folders.ts'
import { findSentences } from './sentences.ts'

const FOLDER = 'gateway/dashboard'

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

describe('the German of the dashboard', () => {
  const found = findSentences()
  const keys = new Set(found.map(({ key }) => key))

  it('has a translation of every sentence', () => {
    expect(keys.size).to.be.greaterThan(500)
    const missing = found.filter(({ key }) => !(key in catalogs.de))
    expect(missing.map(({ file, key }) => `${file}: ${key}`)).to.deep.equal([])
  })

  it('has nothing that no page says', () => {
    const messages = (key: string) => key in germanMessages
    expect(Object.keys(catalogs.de).filter((key) => !keys.has(key) && !messages(key))).to.deep.equal([])
  })

  it('has every sentence once', async () => {
    const files = new Map<string, string>()
    const twice: string[] = []
    for (const { file, catalog } of await readCatalogs()) {
      for (const key of Object.keys(catalog)) {
        if (files.has(key)) twice.push(`${key}: ${files.get(key)} and ${file}`)
        files.set(key, file)
      }
    }
    expect(twice).to.deep.equal([])
    expect(files.size).to.equal(Object.keys(catalogs.de).length)
  })

  it('keeps every value of a sentence', () => {
    const wrong = Object.entries(catalogs.de).flatMap(([key, translation]) =>
      (typeof translation === 'string' ? [translation] : Object.values(translation))
        .filter((each) => valuesOf(each).join() !== valuesOf(key).join())
        .map((each) => `${key} → ${each}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('puts no value into a message that its English does not have', () => {
    const wrong = Object.entries(germanMessages).filter(([key, translation]) =>
      valuesOf(translation).some((value) => !valuesOf(key).includes(value)),
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
