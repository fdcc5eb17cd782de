-- Views over the results warehouse. Works in a plain `duckdb` shell started in the root of the checkout:
--     .read reports/views.sql
-- and in `mnemobench sql`, which loads it. There must be at least one run: `make run`.
--
-- Every table has the columns `dataset` and `run_id` (from the names of its folders). A view shows complete runs only,
-- that is runs with a row in `runs`. Every run writes every table, empty where it has nothing to say; in a warehouse whose
-- runs are all older than a table, that table's view cannot be made here (`mnemobench sql` shows it empty). Columns, units and the meaning of null: data/README.md.
-- An undefined value is NaN, not null: `isfinite(value)` is false then; the views named `means` and `scores` deal with it.

CREATE OR REPLACE VIEW runs AS
SELECT * FROM read_parquet('reports/warehouse/runs/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true);

CREATE OR REPLACE VIEW queries AS
SELECT * FROM read_parquet('reports/warehouse/queries/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW query_metrics AS
SELECT * FROM read_parquet('reports/warehouse/query_metrics/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW behaviour AS
SELECT * FROM read_parquet('reports/warehouse/behaviour/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW rankings AS
SELECT * FROM read_parquet('reports/warehouse/rankings/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW summary AS
SELECT * FROM read_parquet('reports/warehouse/summary/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW comparisons AS
SELECT * FROM read_parquet('reports/warehouse/comparisons/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW suppression AS
SELECT * FROM read_parquet('reports/warehouse/suppression/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW ties AS
SELECT * FROM read_parquet('reports/warehouse/ties/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW answerability AS
SELECT * FROM read_parquet('reports/warehouse/answerability/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW defects AS
SELECT * FROM read_parquet('reports/warehouse/defects/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW timings AS
SELECT * FROM read_parquet('reports/warehouse/timings/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW artifacts AS
SELECT * FROM read_parquet('reports/warehouse/artifacts/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW suppression_trace AS
SELECT * FROM read_parquet('reports/warehouse/suppression_trace/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW stream_metrics AS
SELECT * FROM read_parquet('reports/warehouse/stream_metrics/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW sweep_metrics AS
SELECT * FROM read_parquet('reports/warehouse/sweep_metrics/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW study_cells AS
SELECT * FROM read_parquet('reports/warehouse/study_cells/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW cluster_comparisons AS
SELECT * FROM read_parquet('reports/warehouse/cluster_comparisons/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW query_groups AS
SELECT * FROM read_parquet('reports/warehouse/query_groups/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW group_summary AS
SELECT * FROM read_parquet('reports/warehouse/group_summary/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW alpha_choices AS
SELECT * FROM read_parquet('reports/warehouse/alpha_choices/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW alpha_curve AS
SELECT * FROM read_parquet('reports/warehouse/alpha_curve/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW bm25_grid AS
SELECT * FROM read_parquet('reports/warehouse/bm25_grid/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW bm25_grid_choices AS
SELECT * FROM read_parquet('reports/warehouse/bm25_grid_choices/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW latency AS
SELECT * FROM read_parquet('reports/warehouse/latency/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

-- The last complete run of each data set and main protocol; sweeps over parameters are not among them. `SEMI JOIN latest_runs USING (dataset, run_id, protocol)` keeps
-- a table to the main protocol; without `protocol` in the list the run's other protocols are there too.
CREATE OR REPLACE VIEW latest_runs AS
SELECT * FROM runs WHERE kind IS DISTINCT FROM 'sweep'
QUALIFY row_number() OVER (PARTITION BY dataset, protocol ORDER BY finished_at DESC, run_id DESC) = 1;

-- Comparisons of the main family, the one of the headline: one row per protocol, block, variant and measure. In
-- `comparisons` a variant has a row for each family it is in. Runs of schema version 2 had one family, and no name for it.
CREATE OR REPLACE VIEW main_comparisons AS
SELECT * FROM comparisons WHERE coalesce(family_index, 0) = 0;

-- Values of single questions (measures and behaviours) beside what is known of the question.
CREATE OR REPLACE VIEW scores AS
SELECT m.*, q.question_type, q.block, q.scope_id, q.n_relevant, q.n_pool
FROM (SELECT * FROM query_metrics UNION ALL BY NAME SELECT * FROM behaviour) AS m
JOIN queries AS q USING (dataset, run_id, protocol, query_id);

-- Means recomputed from single questions, per block and over all questions; undefined values are counted, not averaged.
CREATE OR REPLACE VIEW means AS
SELECT dataset, run_id, protocol, coalesce(block, 'all') AS block, variant, measure,
       avg(value) FILTER (WHERE isfinite(value)) AS mean,
       count(*) FILTER (WHERE isfinite(value)) AS n,
       count(*) FILTER (WHERE NOT isfinite(value)) AS n_undefined
FROM scores
GROUP BY GROUPING SETS ((dataset, run_id, protocol, block, variant, measure),
                        (dataset, run_id, protocol, variant, measure));

-- Per question: a variant's value less the baseline's, for questions where both are defined.
CREATE OR REPLACE MACRO paired_differences(of_measure, to_baseline) AS TABLE
SELECT s.dataset, s.run_id, s.protocol, s.query_id, s.question_type, s.block, s.scope_id, s.variant, s.measure,
       s.value, b.value AS baseline_value, s.value - b.value AS delta
FROM scores AS s
JOIN query_metrics AS b
  ON b.dataset = s.dataset AND b.run_id = s.run_id AND b.protocol = s.protocol AND b.query_id = s.query_id AND b.measure = s.measure
WHERE s.measure = of_measure AND b.variant = to_baseline AND s.variant <> to_baseline
  AND isfinite(s.value) AND isfinite(b.value);

-- Baselines that a person accepted (`mnemobench accept`), all that ever counted; the last one of a profile and data set
-- counts. Nothing may be accepted yet, and DuckDB refuses a pattern without files: this one matches those of `runs` too.
CREATE OR REPLACE VIEW accepted AS
SELECT dataset, run_id, profile, accepted_at, accepted_by, why, git_commit, dataset_fingerprint, config_fingerprint FROM (
    SELECT NULL::VARCHAR AS why, NULL::TIMESTAMP AS accepted_at, NULL::VARCHAR AS accepted_by, NULL::VARCHAR AS git_commit WHERE false
    UNION ALL BY NAME SELECT * FROM read_parquet('reports/warehouse/[ar][cu][cn]*/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
) WHERE why IS NOT NULL;

-- What the gate said of a run (`mnemobench gate`, the flow nightly-regression), every time that it said something new.
CREATE OR REPLACE VIEW verdicts AS
SELECT dataset, run_id, profile, judged_at, accepted_run, verdict, quality, cost, sentence, host, machine FROM (
    SELECT NULL::TIMESTAMP AS judged_at, NULL::VARCHAR AS accepted_run, NULL::VARCHAR AS verdict, NULL::VARCHAR AS quality,
           NULL::VARCHAR AS cost, NULL::VARCHAR AS sentence, NULL::VARCHAR AS host, NULL::VARCHAR AS machine WHERE false
    UNION ALL BY NAME SELECT * FROM read_parquet('reports/warehouse/[vr][eu][rn]*/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
) WHERE verdict IS NOT NULL;

-- One row per evaluation and data set: the main measure of its baseline and of its best variant (block main, else all
-- questions), how long it took, and what the gate said last.
CREATE OR REPLACE VIEW history AS
WITH headline AS (
    SELECT s.* FROM summary AS s
    JOIN runs AS r ON r.dataset = s.dataset AND r.run_id = s.run_id AND r.protocol = s.protocol AND r.main_measure = s.measure
    WHERE s.block IN ('main', 'all') AND isfinite(s.mean)
    QUALIFY s.block = first(s.block) OVER (PARTITION BY s.dataset, s.run_id ORDER BY s.block = 'main' DESC)
), best AS (
    SELECT dataset, run_id, max_by(variant, mean) AS best_variant, max(mean) AS best_mean, max(n) AS n FROM headline GROUP BY ALL
), last_verdicts AS (
    SELECT * FROM verdicts QUALIFY row_number() OVER (PARTITION BY dataset, run_id ORDER BY judged_at DESC) = 1
), counting AS (
    SELECT * FROM accepted QUALIFY row_number() OVER (PARTITION BY profile, dataset ORDER BY accepted_at DESC) = 1
)
SELECT r.dataset, r.run_id, r.profile, r.protocol, r.finished_at, epoch(r.finished_at - r.started_at) AS seconds,
       r.main_measure, r.baseline, h.mean AS baseline_mean, b.best_variant, b.best_mean, b.n,
       v.verdict, v.quality, v.cost, v.accepted_run, v.sentence, c.run_id IS NOT NULL AS is_accepted
FROM runs AS r
LEFT JOIN headline AS h ON h.dataset = r.dataset AND h.run_id = r.run_id AND h.variant = r.baseline
LEFT JOIN best AS b ON b.dataset = r.dataset AND b.run_id = r.run_id
LEFT JOIN last_verdicts AS v ON v.dataset = r.dataset AND v.run_id = r.run_id
LEFT JOIN counting AS c ON c.dataset = r.dataset AND c.run_id = r.run_id AND c.profile = r.profile
WHERE r.kind IS DISTINCT FROM 'sweep';
