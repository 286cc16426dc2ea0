// Locations: what the API says of them.
import * as yup from 'yup'
import { idAnswer, textAnswer } from './answers.ts'

const members = { id: idAnswer(), name: textAnswer(), code: textAnswer() }

export const locationSchema = yup.object(members).meta({ component: 'Location' })

export const locationInBuildingSchema = yup
  .object({
    ...members,
    building: yup
      .object({ id: idAnswer(), name: textAnswer(), address: textAnswer() })
      .meta({ component: 'BuildingSummary' }),
  })
  .meta({ component: 'LocationInBuilding' })
