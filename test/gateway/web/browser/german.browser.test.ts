// Tests in a real browser that scripts use the language of the page.
import { expect } from 'chai'
import { openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { findCell } from '../../../support/dashboard/floor-plan.ts'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('scripts of pages, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)

  const arrange = async (locale: string) => {
    const location_id = await createLocation(world.database, createFloorPlanColumns(drawPng(300, 200)))
    await createBookable(world.database, { location_id, name: 'Tisch A', position_x: 0.3, position_y: 0.6 })
    await createBookable(world.database, { location_id, name: 'Tisch B' })
    const opened = await openWindow(signedIn, { locale })
    const loaded: string[] = []
    opened.page.on('request', (request) =>
      loaded.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''),
    )
    await opened.page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await opened.page.locator('[data-rows] > summary').click()
    return { ...opened, loaded }
  }

  it('show every text in German on a German page, including plurals', async () => {
    const { context, page, complaints, loaded } = await arrange('de-DE')
    await page.getByText('Vorschau: 1 Tisch oder Raum in 1 Reihe.').waitFor()
    await page.getByText('1 von 2 Tischen und Räumen:').waitFor()
    const title = findCell(page, 'Tisch A').locator('title')
    expect(await title.textContent()).to.equal('Tisch A: 30 % von links, 60 % von oben')
    await findCell(page, 'Tisch A').focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Tisch A gespeichert.').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Rückgängig gemacht: Tisch A gespeichert.').waitFor()
    expect(complaints).to.deep.equal([])
    expect(loaded.filter((name) => name.startsWith('german'))).to.have.length(1)
    await context.close()
  })

  it('do not load German texts on an English page', async () => {
    const { context, page, loaded } = await arrange('en-GB')
    await page.getByText('Preview: 1 desk or room in 1 row.').waitFor()
    expect(loaded).to.include('dashboard.js')
    expect(loaded.filter((name) => name.startsWith('german'))).to.deep.equal([])
    await context.close()
  })
})
