"""Tests of what names in tables of others mean: direction of a measure, role of a column, model or not.

Directions are from the publications and programs named beside the names in `columns.toml`.
"""

import pytest

from stats_core import Mapping, read_results
from stats_core.core.errors import DataError, NeedsMapping
from stats_core.io.vocabulary import (
    OTHER_MEASURES,
    direction_of,
    guess_roles,
    is_listed,
    known_cost,
    known_measure,
    model_among,
)

HIGHER = """pass@1 pass@10 pass_at_1 pass@k pass^k maj@8 cons@64 exact_match resolved win_rate acc_norm bleu chrF chrF++ BERTScore
    ROUGE-L rougeLsum COMET prompt_level_strict_acc ndcg@10 nDCG_10 ndcg_cut_10 map_at_100 MRR@10 recall@k recall_at_5 bpref
    Rprec infAP ERR@20 nERR@20 P@10 R@1 hit@k HR@10 Hits@3 hit_at_10 AUC@0.1 PESQ stoi SI-SDR utmos DNSMOS Dice dice_et DSC_liver IoU
    mIoU NSD PSNR SSIM MS-SSIM AP50 ap75 mAP@0.5 mAP@[.5:.95] mAP50-95 metrics/mAP50-95(B) test_ap AP@IoU=0.5 PQ(%) acc1 Acc@5 top1
    top5_acc inception_score CLIPScore HOTA MOTA IDF1 return episode_return episodic_return mean_reward ep_rew_mean
    rollout/ep_rew_mean eval/mean_reward charts/episodic_return success_rate normalized_score C-index c_index harrell_c ARI NMI
    AMI v_measure calinski_harabasz_score silhouette_score VUS-PR vus_roc R_AUC_ROC PA-F1 Affiliation-F AUCPR
    demographic_parity_ratio hypervolume forward_transfer tokens_per_second nse qwk TPR@FPR=0.01 Accuracy\u2191""".split()
LOWER = """WER CER mer EER min_dcf cpWER perplexity word_perplexity bits_per_byte TER HD95 hd95_liver ASSD hausdorff_distance HD(mm)
    LPIPS FID KID FVD NIQE abs_rel MPJPE cumulative_regret optimality_gap forgetting MASE MASE[0.5] eval_metrics/MASE[0.5]
    MSIS sMAPE WAPE ND(%) NRMSE OWA CRPS crps_sum WQL mean_weighted_sum_quantile_loss mean_wQuantileLoss pinball_loss RMSSE
    WRMSSE energy_score weighted_interval_score IBS integrated_brier_score davies_bouldin_score ECE MCE adaptive_ece ACE(%)
    AURC equalized_odds_difference demographic_parity_difference FPR@95 FPR@95TPR FPR95 PEHE SHD IGD PAR10 test_der val_loss_epoch train_loss_step FID\u2193""".split()
# sizes, settings, numbers of rows, names with another meaning, and measures whose direction depends on their use
WITHOUT = """lr n size temperature seed rank params param_count n_params batch_size max_depth id index year k gamma alpha is is_test ap
    sr nd er der mos hd ace hr pq coverage refusal_rate toxicity novelty gini attack_success_rate disparate_impact bias
    top_k top_p n_shots looking_at_5 data@2 x^2 width snr fps threshold p_value subject""".split()


@pytest.mark.parametrize(
    ("name", "direction"),
    [(n, "higher") for n in HIGHER] + [(n, "lower") for n in LOWER] + [(n, "") for n in WITHOUT],
)
def test_a_name_has_the_direction_of_its_definition(name, direction):
    assert direction_of(name) == direction


def test_names_of_measures_are_not_costs():
    assert [n for n in (*HIGHER, *LOWER, *OTHER_MEASURES) if known_cost(n)] == []


def test_a_measure_that_is_no_rate_keeps_the_name_of_the_file():
    names = [n for n in OTHER_MEASURES if known_measure(n) != (n, OTHER_MEASURES[n])]
    assert names == []


MODELS = """ViT-B/16 ConvNeXt-T ResNet50 VGG16 CLIP-ViT OpenCLIP SigLIP U-Net nnU-Net YOLOv8n Swin-L DeiT FLAN-T5 GPT-4o
    Llama-3-8B Qwen2.5-7B MiniLM all-mpnet-base LaBSE bge-large PPO SAC DQN A2C TD3 DDPG TRPO Informer Autoformer DLinear
    chronos-bolt Moirai TimesFM TimesNet iTransformer IForest OCSVM ABOD HBOS COPOD ECOD DeepSurv CoxPH RSF TabPFN TabNet
    FT-Transformer RealMLP wav2vec2 LightGCN FedAvg BM25""".split()
NO_MODELS = """iris wine adult albert node saint bloom opt clip_001 phi falcon t1 e5 mmlu gsm8k ECG200 GunPoint Ant-v2 Pong
    HumanEval cifar10 mice canary""".split()


@pytest.mark.parametrize("name", MODELS)
def test_a_label_names_a_model(name):
    assert model_among([name]) == name


@pytest.mark.parametrize("name", NO_MODELS)
def test_a_label_does_not_name_a_model(name):
    assert model_among([name]) == ""


def test_words_with_another_meaning_name_models_beside_models():
    assert model_among(["NODE", "SAINT", "TabNet", "adult"]) == "NODE"
    assert model_among(["node", "saint", "edge"]) == ""


@pytest.mark.parametrize("name", ["env", "env_id", "Environment", "game"])
def test_an_environment_is_a_data_set_unless_another_column_is(name):
    assert guess_roles([name, "algo", "seed", "return"])[name] == "dataset"
    assert name not in guess_roles([name, "dataset", "algo", "return"])


# a drop of what should be high is bad, one of what should be low is good; a difference may be either
BETTER_IF_HIGHER = """error_reduction loss_reduction rmse_improvement mae_reduction runtime_speedup time_saved speedup speed-up
    RMSEReduction maeReduction reduction_of_error drop_in_error val_loss_decrease accuracy_gain AccuracyGain accuracy.gain
    mean_f1_improvement auc_increase latency_reduction cost_reduction memory_saved improvement change_detection_f1
    noise_reduction_psnr dropout_accuracy acc_gain_over_baseline regret_reduction""".split()
BETTER_IF_LOWER = """accuracy_drop auc_drop acc_degradation accuracy_forgetting AccuracyDrop accuracyDrop accuracy.drop accuracy-drop
    acc_drop_pct accuracy_drop_mean test_acc_drop drop_in_accuracy accuracy_drop_vs_clean accuracy_loss dice_loss
    loss_of_accuracy f1_decrease error_increase time_increase loss_degradation 1-AUC one_minus_auc""".split()
UNCLEAR = """f1_gap accuracy_diff accuracy_difference auc_delta delta_acc \u0394AUC \u0394acc F1Gap val_loss_gain accuracy_change time_diff
    gap gain drop delta information_gain loss_weight time_limit accuracy_rank loss_fn risk_factor
    accuracy_threshold 1-NN""".split()


@pytest.mark.parametrize(
    ("name", "direction"),
    [(n, "higher") for n in BETTER_IF_HIGHER]
    + [(n, "lower") for n in BETTER_IF_LOWER]
    + [(n, "") for n in UNCLEAR],
)
def test_a_word_for_a_change_turns_the_direction(name, direction):
    assert (direction_of(name), known_cost(name)) == (direction, "")


def test_the_user_may_say_how_a_change_is_meant():
    said = Mapping(directions={"accuracy_drop": "higher"})
    assert said.direction_of("accuracy_drop") == "higher"


def test_a_change_of_unknown_direction_is_asked_about():
    rows = "".join(
        f"{d},{m},{v}\n" for d, m, v in zip("aabb", "xyxy", (0.1, 0.2, 0.35, 0.3), strict=True)
    )
    with pytest.raises(NeedsMapping, match='"f1_gap" needs a direction'):
        read_results(("t.csv", f"dataset,model,f1_gap\n{rows}".encode()))


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("per_class_f1.Old-Time / Historic", "higher"),
        ("per_class_f1.Soul-RnB", "higher"),
        ("class_error/Real time systems", "lower"),
    ],
)
def test_a_measure_of_a_class_is_no_cost_whatever_the_class_is_called(name, direction):
    assert (direction_of(name), known_cost(name)) == (direction, "")


@pytest.mark.parametrize("name", ["f1.train_time", "train.time", "model.memory", "time/epoch"])
def test_a_time_below_another_name_is_a_cost(name):
    assert known_cost(name) == name


def errors(name, scale):
    """Return a table of errors of two models on three data sets."""
    values = zip("aabbcc", "xyxyxy", (0.9, 1.25, 5.5, 4.75, 32.0, 31.0), strict=True)
    rows = "".join(f"{d},{m},{v * scale}\n" for d, m, v in values)
    return ("t.csv", f"dataset,model,{name}\n{rows}".encode())


def test_an_error_above_one_has_an_unknown_range():
    for scale in (1, 10):
        results = read_results(errors("test_error", scale))
        assert results.directions == {"test_error": "lower"}
        assert results.averages("test_error").loc["c", "x"] == 32 * scale


def test_an_error_rate_and_percentages_keep_their_range():
    with pytest.raises(DataError, match="Values must lie between 0 and 1"):
        read_results(errors("test_error_rate", 10))
    results = read_results(errors("test error (%)", 1))
    assert results.averages("test error (%)").loc["c", "x"] == 32


FOLDS = """fold fold_year cv_fold_name foldNumber test_fold outer_fold_idx Fold.No. k-fold fold_label CV fold validation_fold
    cv5_fold fold_ix Fold_ID crossval_fold fold1""".replace("CV fold", "CV_fold").split()
REPETITIONS = "rep rep_no Repeat2 repetitionNumber repeat_idx cv_rep Replicate resample_id experiment_rep".split()
NO_FOLDS = """n_folds num_folds number_of_folds fold_change log2_fold_change threefold ten_fold fold_enrichment fold_size fold_count
    fold_accuracy per_fold_auc fold_seed n_reps reps_done repeat_rate report reply scaffold folder manifold_id unfolded
    replica_accuracy""".split()


@pytest.mark.parametrize(
    ("name", "role"),
    [(n, "fold") for n in FOLDS]
    + [(n, "repetition") for n in REPETITIONS]
    + [(n, "") for n in NO_FOLDS],
)
def test_a_column_of_folds_is_known_in_any_spelling(name, role):
    assert guess_roles(["dataset", "model", name, "accuracy"]).get(name, "") == role


def test_numbered_columns_hold_results_of_folds():
    assert guess_roles(["model", "Fold1", "Fold2", "Repeat1", "Repeat2"]) == {"model": "algorithm"}


@pytest.mark.parametrize("name", ["epoch_idx", "epochNumber", "training_epoch", "global_step"])
def test_training_steps_are_known_in_any_spelling(name):
    assert is_listed(name, "training steps")
    assert not is_listed(f"n_{name}s", "training steps")


@pytest.mark.parametrize(
    "name",
    """train_time fit_seconds peak_mem VRAM_GB energy_kWh gflops n_params model_size wall_clock gpu_h co2_eq ttft
    price inference_ms""".split(),
)
def test_a_resource_that_a_run_takes_is_a_cost(name):
    assert known_cost(name) == name


@pytest.mark.parametrize(
    "name", "TPOT co2 timestamp memcached elmo_members time_saved tokens_per_second".split()
)
def test_other_names_are_no_costs(name):
    assert known_cost(name) == ""
