// What holds for a file: settings of flags, of warplens.json and of the build.
import { openWorkspace, uriOf, type AnalysisSettings } from './analysis';
import { displayPath, type Source } from './source';

/** As JSON, with the keys of warplens.json where it has them. */
export async function settingsText({ path }: Source, analysis: AnalysisSettings): Promise<string> {
  const complaints: string[] = [];
  const workspace = await openWorkspace(analysis, (sentence) => complaints.push(sentence));
  const uri = uriOf(path);
  const configuration = workspace.configurationOf(uri);
  const { rules = {}, failOnUnread = false } = configuration ?? {};
  const settings = {
    file: displayPath(path),
    configuration: configuration ? displayPath(configuration.path) : null,
    gpu: workspace.gpuOf(uri).name,
    ...workspace.compilationOf(uri),
    rules,
    failOnUnread,
    complaints,
  };
  return JSON.stringify(settings, null, 2);
}
