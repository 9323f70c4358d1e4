import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

test('a project is exported as a file, and the file becomes a project', async () => {
  const { id } = await web.owner.call(z.object({ id: z.string() }), 'POST', '/projects', { name: 'Carried' });
  await web.owner.call(z.unknown(), 'POST', `/projects/${id}/tasks`, { title: 'Carry it over' });
  const page = await web.signedIn({ locale: 'en' });
  await page.goto(`/projects/${id}/settings`);
  const saved = page.waitForEvent('download');
  await page.getByTestId('project-export').click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`${id}.ndjson`);
  const path = await file.path();
  await page.getByTestId('project-import-file').setInputFiles({
    name: 'project.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: await readFile(path),
  });
  await page.getByTestId('project-imported').getByText('with 1 task').waitFor();
  await expectNoViolations(page);
  await page.getByTestId('project-imported').getByRole('link').click();
  await page.waitForURL((url) => url.pathname.startsWith('/projects/prj_') && !url.pathname.includes(id));
  await page.getByText('Carry it over').first().waitFor();
});

test('a torn file is refused with the line that is wrong', async () => {
  const { id } = await web.owner.call(z.object({ id: z.string() }), 'POST', '/projects', { name: 'Torn' });
  const page = await web.signedIn({ locale: 'en' });
  await page.goto(`/projects/${id}/settings`);
  await page.getByTestId('project-import-file').setInputFiles({
    name: 'project.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from('{"type":"header"'),
  });
  await page.getByRole('alert').getByText('Line 1 of the file is not valid').waitFor();
});
